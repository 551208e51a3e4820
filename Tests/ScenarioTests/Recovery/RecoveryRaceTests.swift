import Canonical
import Credentials
import Testing

/// Recoveries against each other and against logins.
@Suite(.onServer, .sharedWorld)
struct `Recoveries` {
    @Test func `completed concurrently have exactly one winner`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("recovery-race.example", client)
        try await scene.approve()
        let people = (0..<4).map { number in
            var person = scene.lost.person
            person.passphrase = "the passphrase number \(number)"
            return person
        }
        var begun: [(Flow, HTTPReply)] = []
        for _ in people { begun.append(try await client.askToRecover(scene.lost.person, scene.device)) }
        let flows = begun
        let replies = try await concurrently(people.count) { number in
            try await flows[number].0.complete(people[number], flows[number].1)
        }
        let winners = people.indices.filter { replies[$0].status == 200 }
        #expect(winners.count == 1, "\(replies)")
        for number in people.indices where !winners.contains(number) {
            try expectProblem(replies[number], "request.stale")
        }
        let winner = try #require(winners.first)
        expectOutcome(try await client.logIn(people[winner], scene.lost.device), "success")
    }

    @Test func `are serialized with the owner's log-ins: cancelled, or no session of the old secret`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("recovery-login.example", client)
        var person = scene.lost.person
        for round in 0..<4 {
            var new = person
            new.passphrase = "the passphrase of round \(round)"
            try await scene.approve()
            let (flow, asked) = try await client.askToRecover(person, scene.device)
            let old = person
            let next = new
            let replies = try await concurrently(4) { number in
                number == 0
                    ? try await flow.complete(next, asked) : try await client.logIn(old, scene.lost.device)
            }
            let isRecovered = replies[0].status == 200
            for reply in replies.dropFirst() where reply.outcome == "success" {
                let late = try Member(old, scene.lost.device, reply)
                let read = try await client.get("/v1/sessions", by: late.session)
                #expect(read.status == (isRecovered ? 401 : 200), "\(replies)")
            }
            if isRecovered { person = new } else { try expectProblem(replies[0], "request.stale") }
            expectOutcome(try await client.logIn(person, scene.lost.device), "success")
        }
    }

    @Test func `decided by three people concurrently end cancelled, and each confirms at most once`()
        async throws
    {
        let client = try sharedWorld().client
        let company = "recovery-decisions.example"
        let scene = try await RecoveryScene(company, client)
        for _ in 0..<3 {
            expectOutcome(try await scene.open(), "done")
            let replies = try await concurrently(3) { number in
                switch number {
                case 0: try await scene.confirm()
                case 1: try await scene.confirm(by: scene.lost)
                default: try await client.cancelRecovery(scene.lost.person, scene.device, by: scene.founder)
                }
            }
            expectOutcome(replies[2], "done")
            for reply in replies.dropLast() where reply.status != 200 {
                #expect(["recovery.unknown", "request.stale"].contains(reply.code), "\(reply)")
            }
            expectOutcome(try await scene.ask(), "authorizationPending")
        }
        let events = try await client.events(company)
        for opened in events where opened["type"]?.text == "RecoveryOpened" {
            let own = events.filter { $0["stream"] == opened["stream"] }.compactMap { $0["type"]?.text }
            // The person's own device confirms after an admin too, to make the recovery available at once.
            let confirmed = own.dropFirst().dropLast()
            #expect(own.first == "RecoveryOpened" && own.last == "RecoveryCancelled", "\(own)")
            #expect(confirmed.count <= 2 && confirmed.allSatisfy { $0 == "RecoveryConfirmed" }, "\(own)")
        }
    }

    @Test func `requested by many devices at once are all answered, and few are stored`() async throws {
        let client = try sharedWorld().client
        let company = "recovery-crowd.example"
        let scene = try await RecoveryScene(company, client)
        let replies = try await concurrently(24) { _ in try await scene.ask(Device()) }
        #expect(replies.allSatisfy { $0.status == 200 && $0.outcome == "authorizationPending" }, "\(replies)")
        expectOutcome(try await scene.ask(), "authorizationPending")
        let shown = try await client.recoveries(company, by: scene.founder)
        #expect(shown.count <= 5 && shown[scene.device.fingerprint] != nil)
    }
}
