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

    @Test func `shows in no step of an app that is not linked to it`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "no-questions-unlinked.example"
        let admin = try await client.found(company)
        try await client.change(policy: ["questionsWithPassphrase": false], of: company, by: admin)
        let stranger = client.by(try await world.makeApp(name: "not linked to the silent"))
        for place in [company, "no-questions-nowhere.example"] {
            // One of sixteen invented names goes by a credential that has both, and shows its questions.
            var hasBoth = false
            for number in 0..<500 where !hasBoth {
                let flow = try await BlindFlow.start(.logins, Person("name \(number)", at: place), Device(), stranger)
                hasBoth = try flow.context.flags.contains(.questionsWithPassphrase)
                if hasBoth { #expect(flow.asked["questions"]?.items.count == 5, "\(place): \(flow.asked)") }
            }
            #expect(hasBoth)
        }
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
