import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 4: a consumer tenant` {
    @Test func `holds many employees whose addresses are their own, and lists them page by page`() async throws {
        let client = try sharedWorld().client
        let company = "gmail.com"
        _ = try await client.found(company, by: Person("zero@gmail.com", at: company, email: "zero@gmail.com"))
        let ids = (1...24).map { "consumer\($0)@gmail.com" }
        let replies = try await concurrently(ids.count) { number in
            try await client.register(Person(ids[number], at: company, email: ids[number]), Device())
        }
        #expect(replies.allSatisfy { $0.outcome == "authorizationPending" }, "\(replies)")
        let last = replies.compactMap { $0["position"]?.number }.max()

        var listed: [JSONValue] = []
        var path = client.path(company, "/employees?limit=10")
        for page in 0..<3 {
            let reply = try await client.get(path, at: last)
            listed += reply["items"]?.items ?? []
            guard page < 2 else {
                #expect(reply["next"] == nil && reply.headers["link"] == nil)
                break
            }
            let next = try #require(reply["next"]?.number)
            let link = try #require(reply.headers["link"])
            #expect(link.contains("rel=\"next\"") && link.contains("after=\(next)"))
            path = client.path(company, "/employees?limit=10&after=\(next)")
        }
        #expect(listed.count == 25)
        #expect(Set(listed.compactMap { $0["companyEmployeeId"]?.text }) == Set(ids + ["zero@gmail.com"]))
        #expect(listed.first?["companyEmployeeId"]?.text == "zero@gmail.com", "oldest first")
        #expect(listed.allSatisfy { $0["isCompanyOwnedEmail"]?.flag == false && $0["keys"] == nil })
        let company25 = try await client.get(client.path(company), at: last)
        #expect(company25["employees"]?.number == 25)
    }
}
