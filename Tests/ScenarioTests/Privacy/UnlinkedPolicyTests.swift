import Canonical
import Credentials
import Testing

@Suite(.onServer, .sharedWorld)
struct `The policy of a company that others cannot see` {
    @Test func `shows in no login of an app that is not linked to it`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "blind-unlinked.example"
        let admin = try await client.found(company)
        try await client.change(policy: ["blindOnly": true], of: company, by: admin)
        let stranger = client.by(try await world.makeApp(name: "not linked to the blind"))
        let device = Device()
        for name in [company, "blind-nowhere.example"] {
            let person = Person("somebody", at: name)
            let flow = try await Flow.logIn(person, device, stranger)
            let reply = try await flow.complete(person, try await flow.prove(device))
            #expect(["answers.incorrect", "passphrase.incorrect"].contains(reply.code ?? ""), "\(reply)")
        }
        try expectProblem(try await client.logIn(admin.person, admin.device), "policy.blind_only")
    }

    @Test func `shows nothing to two apps that compare what they see`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "compared.example"
        let founder = try await client.found(company)
        let unlinked = [
            client.by(try await world.makeApp(name: "first onlooker")),
            client.by(try await world.makeApp(name: "second onlooker")),
        ]
        for person in [founder.person, Person("nobody", at: company), Person("nobody", at: "nowhere.example")] {
            var credentials: Set<[UInt8]> = []
            for app in [client] + unlinked {
                let context = try await BlindFlow.start(.logins, person, Device(), app).context
                credentials.insert(context.credentialId.bytes)
            }
            #expect(credentials.count == 3)
        }
    }
}
