import ErrorCodes
import Ledger
import Canonical
import Foundation
import IdentityService
import Postgres
import TenureAPI
import TenureServer
import TestSupport
import Testing

/// What a stranger learns of a recovery, what stays of it, and how long it is open.
@Suite(.onServer)
struct `The privacy of a recovery` {
    /// What a caller sees: statuses, members, sizes.
    private struct Seen: Equatable {
        var started: [String]
        var challengeBytes: Int
        var asked: [String]
        var outcome: String?
        var sizes: [Int?]
        var later: String?
    }

    private func observe(_ person: Person, _ client: Client) async throws -> Seen {
        let device = Device()
        let started = try await client.post("/v1/recoveries", person.login(device))
        let flow = try await Flow.recover(person, device, client)
        let asked = try await flow.prove(device)
        #expect(
            asked["fingerprint"]?.text == device.fingerprint && asked["employeePublicKey"]?.text == device.publicKey)
        let later = try await flow.step("credentials", person.credentials)
        // The caller's own key decides how long its words are.
        let words = try #require(asked["words"]?.text)
        return Seen(
            started: try started.json.members.keys.sorted(),
            challengeBytes: Base64.decode(flow.challenge)?.count ?? 0, asked: try asked.json.members.keys.sorted(),
            outcome: asked.outcome,
            sizes: [asked["fingerprint"]?.text?.utf8.count, asked.body.count - words.utf8.count], later: later.code)
    }

    @Test func `known, unknown, cancelled, locked and foreign employees are answered alike`()
        async throws
    {
        try await inTurn { world in
            let client = try world.client
            let scene = try await RecoveryScene("told.example", client)
            let cancelled = try await client.join(Person("gone", at: "told.example"))
            expectOutcome(
                try await client.signed(by: scene.founder, "POST", client.path(cancelled.person, "/cancellation")),
                "done"
            )
            let locked = Person("stop", at: "told.example")
            _ = try await client.join(locked)
            for _ in 0..<12 {
                var guess = locked
                guess.passphrase = "not this passphrase"
                _ = try await client.logIn(guess, Device())
            }
            let known = try await observe(scene.lost.person, client)
            #expect(known.outcome == "authorizationPending" && known.later == "flow.already_used")
            let foreign = client.by(try await world.makeApp(name: "foreign"))
            let others = [
                (Person("none", at: "told.example"), client), (cancelled.person, client), (locked, client),
                (Person("none", at: "nowhere.example"), client), (scene.lost.person, foreign),
            ]
            for (person, client) in others {
                let seen = try await observe(person, client)
                #expect(seen == known, "\(person.id)")
            }
            // Whoever has no link to the company leaves nothing for its admins to see.
            let shown = try await client.recoveries("told.example", by: scene.founder)
            #expect(Set(shown.values.compactMap { $0["employee"]?["companyEmployeeId"]?.text }) == ["lost", "stop"])
        }
    }

    @Test func `an unknown name leaves as many rows as an employee`() async throws {
        try await inTurn { world in
            let client = try world.client
            let scene = try await RecoveryScene("rows.example", client)
            for person in [scene.lost.person, Person("none", at: "rows.example")] {
                for _ in 0..<7 {
                    expectOutcome(try await client.askToRecover(person, Device()).reply, "authorizationPending")
                }
            }
            try await world.superuser { connection in
                let rows = try await connection.query(
                    """
                    SELECT count(*), extract(epoch FROM min(expires_at - requested_at))::bigint
                    FROM tenure.recovery_request GROUP BY ledger_id, employee_id
                    """)
                // The newest of each; whoever asks a sixth time has the oldest deleted, which takes its time. And for as
                // long, or a request of tomorrow would tell.
                let (counts, seconds) = try rows.reduce(into: ([Int64](), [Int64]())) { sums, row in
                    let (count, lifetime) = try row.decode(Int64.self, Int64.self)
                    sums.0.append(count)
                    sums.1.append(lifetime)
                }
                #expect(counts == [5, 5] && seconds == [259_200, 259_200])
            }
        }
    }

    @Test(.onOneServer) func `a request locks only the request that it replaces`() async throws {
        try await inTurn { world in
            let client = try world.client
            let scene = try await RecoveryScene("locks.example", client)
            let person = scene.lost.person
            for _ in 0..<5 {
                expectOutcome(try await client.askToRecover(person, Device()).reply, "authorizationPending")
            }
            try await world.superuser { connection in
                // The sixth stops before its commit, with all locks that it took: another name of nobody's in one place
                // would wait for them, and tell by it that the two share a place.
                try await connection.executeScript(
                    """
                    CREATE FUNCTION tenure.stop_here() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_advisory_xact_lock(37); RETURN NULL; END $$;
                    CREATE CONSTRAINT TRIGGER stop_here AFTER INSERT ON tenure.recovery_request
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tenure.stop_here();
                    SELECT pg_advisory_lock(37);
                    """)
                async let sixth = client.askToRecover(person, Device()).reply
                while try await connection.query(
                    """
                    SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 37 AND NOT granted
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    """
                ).isEmpty {
                    try await Task.sleep(for: .milliseconds(10))
                }
                let free = try await connection.query("SELECT FROM tenure.recovery_request FOR UPDATE SKIP LOCKED")
                #expect(free.count == 4)
                try await connection.executeScript("SELECT pg_advisory_unlock(37)")
                expectOutcome(try await sixth, "authorizationPending")
            }
        }
    }

    @Test func `requests of inactive people do not hide a recovery`() async throws {
        try await inTurn { world in
            let client = try world.client
            let scene = try await RecoveryScene("hidden.example", client)
            let gone = try await client.join(Person("gone", at: "hidden.example"))
            expectOutcome(
                try await client.signed(by: scene.founder, "POST", client.path(gone.person, "/cancellation")), "done")
            expectOutcome(try await scene.ask(), "authorizationPending")
            expectOutcome(try await client.askToRecover(gone.person, Device()).reply, "authorizationPending")
            // As many newer ones as a list shows, of somebody whom it does not show.
            try await world.superuser { connection in
                let made = try await connection.execute(
                    """
                    INSERT INTO tenure.recovery_request
                        (ledger_id, employee_id, fingerprint, requested_at, expires_at, mac)
                    SELECT r.ledger_id, r.employee_id, sha256(number::text::bytea), r.requested_at, r.expires_at, ''
                    FROM (SELECT * FROM tenure.recovery_request ORDER BY requested_at DESC LIMIT 1) AS r,
                        generate_series(1, 150) AS number
                    """)
                #expect(made == 150)
            }
            try await world.withSecondInstance { url in
                let shown = try await Client(url, world.app).recoveries("hidden.example", by: scene.founder).values
                #expect(shown.map { $0["fingerprint"]?.text } == [scene.device.fingerprint])
            }
        }
    }

    @Test func `a lapsed recovery does not block the next request`() async throws {
        try await inTurn { world in
            let client = try world.client
            let scene = try await RecoveryScene("lapsed.example", client)
            expectOutcome(try await scene.ask(), "authorizationPending")
            expectOutcome(try await scene.open(), "done")
            // As if three days had passed: lists look at the row's own moment.
            try await world.superuser { connection in
                _ = try await connection.execute(
                    "UPDATE tenure.recovery_request SET expires_at = now() - interval '1 second'")
            }
            #expect(try await client.recoveries("lapsed.example", by: scene.founder).values.isEmpty)
            expectOutcome(try await scene.ask(), "authorizationPending")
            let shown = try await client.recoveries("lapsed.example", by: scene.founder).values
            #expect(shown.map { $0["fingerprint"]?.text } == [scene.device.fingerprint])
            // Once the recovery is over in the log too, a list shows what is not marked as open.
            try await world.superuser { connection in
                let rows = try await connection.query("SELECT is_open FROM tenure.recovery_request")
                #expect(try rows.map { try $0.decode(Bool.self) } == [false])
            }
        }
    }

    @Test func `database and logs contain no secret of a recovery`() async throws {
        var options = WorldOptions()
        options.customQuestions = true
        try await inTurn(options) { world in
            let client = try world.client
            let scene = try await RecoveryScene("traceless.example", client)
            var secrets: [Forms] = []
            for blind in [false, true] {
                var new = Person.withQuestions("lost", at: "traceless.example").withOwnQuestions()
                new.email = scene.lost.person.email
                new.passphrase = blind ? nil : "Secret \(Person.word()) phrase"
                _ = try await scene.ask()
                try await scene.approve()
                expectOutcome(
                    try await client.finishRecovery(new, scene.device, blind: blind), "authorizationPending")
                secrets += new.questions.flatMap { [Forms("answer", $0.answer), Forms("question", $0.question)] }
                secrets += new.passphrase.map { [Forms("passphrase", $0)] } ?? []
            }
            secrets.append(Forms("e-mail", scene.lost.person.email))
            let (dump, tables) = try await world.dump()
            #expect(tables.contains("tenure.recovery_request"))
            let logs = Data(world.logs.joined(separator: "\n").utf8)
            for secret in secrets {
                #expect(!secret.isFound(in: dump), "\(secret.name) in the database")
                #expect(!secret.isFound(in: logs), "\(secret.name) in the logs")
            }
            #expect(Forms("company", "traceless.example").isFound(in: dump))

            // Nothing about a recovery has to be erased, and what was erased is recovered by nobody.
            try await scene.approve()
            _ = try await world.erasing { erasure in
                try await erasure.run(try await erasure.plan(email: scene.lost.person.email))
            }
            expectOutcome(try await scene.ask(), "authorizationPending")
            #expect(try await client.recoveries("traceless.example", by: scene.founder).isEmpty)
            #expect(try await scene.confirm().status >= 400)
            var request = VerifyRequest(key: try await world.logKey())
            request.now = world.options.settings.now
            let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
                try await VerifyLog(pool: pool, request: request).run()
            }
            // Recoveries wait for nothing in this world, which is all that is found.
            let found = report.violations.filter { !$0.detail.contains("before the waiting time") }
            #expect(found == [], "\(found)")
        }
    }

    private func after(_ seconds: Int) -> Call {
        Call(requestId: Person.word(), time: Timestamp.now().adding(.seconds(seconds)))
    }

    @Test func `a recovery ends after 72 hours at every step`() async throws {
        try await inTurn { world in
            let client = try world.client
            let scene = try await RecoveryScene("hours.example", client)
            let service = world.service
            let app = try await service.caller(world.app)
            let start = StartLogin(
                .recovery,
                LoginRequest(
                    companyName: "hours.example", companyEmployeeId: "lost", employeePublicKey: scene.device.point),
                app: app)
            func ask(_ call: Call) async throws -> (flow: String, outcome: FlowOutcomeResponse) {
                let started = try await service.run(start, call)
                let proof = try bytes(base64: scene.device.sign(started.challenge))
                let outcome = try await service.run(
                    ProveKey(proof, purpose: .recovery, flow: started.flow, app: app), call)
                return (started.flow, outcome)
            }
            func isOpen(_ outcome: FlowOutcomeResponse) -> Bool {
                if case .setCredentials = outcome { true } else { false }
            }
            try await scene.approve()
            let hours = 72 * 3_600
            #expect(isOpen(try await ask(after(hours - 900)).outcome))
            #expect(!isOpen(try await ask(after(hours + 60)).outcome))
            // Begun in time and finished too late.
            let begun = try await ask(after(hours - 60))
            #expect(isOpen(begun.outcome))
            let person = scene.renewed
            let new = CredentialsRequest(
                securityQuestions: person.questions.map { .init(question: $0.question, answer: $0.answer) },
                passphrase: person.passphrase)
            var code: String?
            do {
                _ = try await service.run(RecoverCredentials(new, flow: begun.flow, app: app), after(hours + 60))
            } catch { code = (error as? ServiceError)?.code.rawValue }
            #expect(code == "request.stale")
            let outcome = try await service.run(
                RecoverCredentials(new, flow: begun.flow, app: app), after(hours - 30))
            #expect(!isOpen(outcome))
            expectOutcome(try await client.logIn(person, scene.lost.device), "success")
        }
    }
}
