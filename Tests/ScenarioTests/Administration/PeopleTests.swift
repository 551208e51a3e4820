import Canonical
import Foundation
import Testing

/// What an app learns about people and companies that it knows by an id or an address.
@Suite(.onServer, .sharedWorld)
struct `An app that knows an id or an address` {
    /// The members of an access token, which nobody has to trust here.
    private func claims(_ token: String) throws -> JSONValue {
        let part = try #require(token.split(separator: ".").dropFirst().first)
        return try StrictJSON.parse(try #require(Base64URL.decode(String(part))))
    }

    private func found(_ client: Client, _ company: String, _ query: String, at position: Int64?) async throws
        -> [JSONValue]
    {
        let reply = try await client.get(client.path(company, "/employees?" + query), at: position)
        #expect(reply.status == 200, "\(reply)")
        return reply["items"]?.items ?? []
    }

    @Test func `finds the person of an access token`() async throws {
        let client = try sharedWorld().client
        let company = "subject.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("zoe", at: company))
        let me = try await client.get("/v1/me", by: member.session)
        let claims = try claims(member.accessToken)
        #expect(claims["sub"]?.text == me["employeeId"]?.text)
        let id = try #require(claims["sub"]?.text), tenant = try #require(me["tenantId"]?.text)

        let reply = try await client.logIn(member.person, member.device)
        #expect(
            reply["employee"]?["employeeId"]?.text == id && reply["employee"]?["tenantId"]?.text == tenant, "\(reply)")
        let people = try await found(client, company, "employeeId=\(id)", at: reply["position"]?.number)
        #expect(people.map { $0["companyEmployeeId"]?.text } == ["zoe"])
        #expect(people.first?["employeeId"]?.text == id && people.first?["tenantId"]?.text == tenant)
        #expect(people.first?["email"]?.text == member.person.email)
        let read = try await client.get(client.path(member.person))
        #expect(read["employeeId"]?.text == id && read["tenantId"]?.text == tenant)
        #expect(try await client.get(client.path(company))["tenantId"]?.text == tenant)

        // An admin may too, and another company's id names nobody here.
        let byAdmin = try await client.get(client.path(company, "/employees?employeeId=\(id)"), by: founder.session)
        #expect(byAdmin["items"]?.items.count == 1, "\(byAdmin)")
        let other = try await client.found("other-subject.example")
        let otherId = try #require(try await client.get("/v1/me", by: other.session)["employeeId"]?.text)
        #expect(try await found(client, company, "employeeId=\(otherId)", at: nil).isEmpty)
        #expect(try await found(client, company, "employeeId=\(UUID().uuidString.lowercased())", at: nil).isEmpty)
    }

    @Test func `finds people by their address in any spelling`() async throws {
        let client = try sharedWorld().client
        let company = "address.example"
        _ = try await client.found(company)
        let member = try await client.join(Person("zoe", at: company))
        let position = try await client.logIn(member.person, member.device)["position"]?.number
        for spelling in [member.person.email, member.person.email.uppercased()] {
            let people = try await found(client, company, "email=\(segment(spelling))", at: position)
            #expect(people.map { $0["companyEmployeeId"]?.text } == ["zoe"], "\(spelling)")
        }
        _ = try await client.found("other-address.example")
        #expect(
            try await found(client, "other-address.example", "email=\(segment(member.person.email))", at: nil).isEmpty)
        #expect(try await found(client, company, "email=nobody%40address.example", at: nil).isEmpty)
        for text in ["zoe", "zo\u{200B}e@address.example"] {
            let wrong = try await client.get(client.path(company, "/employees?email=\(segment(text))"))
            try expectProblem(wrong, "request.invalid")
            #expect(try wrong.json["errors"]?.items.first?["parameter"]?.text == "email", "\(wrong)")
        }
    }

    @Test func `lists the companies that it is linked to`() async throws {
        let client = try sharedWorld().client
        var tenants: [String: String] = [:]
        for company in ["linked-1.example", "linked-2.example"] {
            let founder = try await client.found(company)
            let position = try await client.logIn(founder.person, founder.device)["position"]?.number
            let read = try await client.get(client.path(company), at: position)
            tenants[company] = try #require(read["tenantId"]?.text)
        }
        func listed(_ client: Client) async throws -> [String: String] {
            var all: [String: String] = [:], after: Int64 = 0
            while true {
                let page = try await client.get("/v1/companies?limit=2&after=\(after)")
                #expect(page.status == 200, "\(page)")
                for item in page["items"]?.items ?? [] { all[item["companyName"]?.text ?? ""] = item["tenantId"]?.text }
                guard let next = page["next"]?.number else { return all }
                try #require(next > after)
                after = next
            }
        }
        let mine = try await listed(client)
        for (company, tenant) in tenants { #expect(mine[company] == tenant) }
        let stranger = try await sharedWorld().makeApp(name: "stranger")
        #expect(try await listed(client.by(stranger)) == [:])
    }

    @Test func `lists only companies whose links let it in`() async throws {
        let world = try sharedWorld()
        let app = try await world.makeApp(name: "partly linked")
        var names: Set<String> = []
        for (index, roles) in [["CREATION"], [], ["ACCESS", "CREATION"], ["CREATION"]].enumerated() {
            let attack = try await Attack("partly-\(index).example", try world.client)
            if !roles.isEmpty { try await attack.decided(attack.link(app, roles: roles)) }
            if roles.contains("ACCESS") { names.insert(attack.company) }
            try await attack.client.settle(attack.company)
        }
        // Every page is one candidate, so a page may be empty although another follows.
        var found: Set<String> = [], after: Int64? = 0, pages = 0
        while let start = after {
            let page = try await world.client.by(app).get("/v1/companies?limit=1&after=\(start)")
            #expect(page.status == 200, "\(page)")
            for item in page["items"]?.items ?? [] { found.insert(item["companyName"]?.text ?? "") }
            after = page["next"]?.number
            pages += 1
        }
        #expect(found == names)
        #expect(pages >= 3)
    }
}
