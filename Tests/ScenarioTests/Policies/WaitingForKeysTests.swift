import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Waiting for keys to decide` {
    @Test func `ends when one is presented, also for who has seen the others`() async throws {
        let client = try sharedWorld().client
        let company = "waiting.example"
        let founder = try await client.found(company)
        let path = client.path(company, "/authorizations?state=pending&wait=20")
        var seen: Int64 = 0
        for name in ["first", "second"] {
            // Waits from before the key is there; that it comes back with it is what is shown, not how soon.
            let asked = "\(path)&after=\(seen)"
            async let listed = client.get(asked, by: founder.session)
            let device = Device()
            expectOutcome(try await client.register(Person(name, at: company), device), "authorizationPending")
            let reply = try await listed
            try #require(reply.status == 200, "\(reply)")
            let item = try #require(reply["items"]?.items.first)
            #expect(item["key"]?["fingerprint"]?.text == device.fingerprint)
            #expect(item["statement"] != nil)
            seen = try #require(item["position"]?.number)
        }
    }
}
