import Canonical
import Foundation
import IdentityService
import Keys
import Postgres
import Testing

@Suite(.onServer)
struct `An interrupted erasure` {
    /// Where a transaction of an erasure is made to fail, which is what a kill leaves behind.
    private static let places = [
        "BEFORE INSERT ON tenure.erasure", "BEFORE DELETE ON tenure.person_key", "BEFORE UPDATE ON tenure.person_key",
        "BEFORE DELETE ON tenure.oprf_seed", "BEFORE UPDATE ON tenure.bucket_key",
        "BEFORE UPDATE OF master_version ON tenure.erasure", "BEFORE UPDATE OF destroyed_at ON tenure.erasure",
        "BEFORE DELETE ON tenure.session", "BEFORE DELETE ON tenure.claim",
    ]

    @Test(.onOneServer) func `resumes from any point, and no person stays partly erased`() async throws {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("stopped.example")
            _ = try await client.found("also.example")
            // Many keys, so that the buckets of the erased have neighbours to be wrapped again.
            var stopped = 0
            for (number, place) in Self.places.enumerated() {
                for skipped in 0..<2 {
                    let name = "p-\(number)-\(skipped)"
                    let person = try await client.join(Person(name, at: "stopped.example")).person
                    _ = try await client.join(person.also(name, at: "also.example"))
                    let plan = try await world.erasing { try await $0.plan(email: person.email) }
                    #expect(plan.people.count == 3)
                    try await fail(place, after: skipped, world)
                    let first = try? await world.erasing { try await $0.run(plan) }
                    try await fail(nil, after: 0, world)
                    if first == nil {
                        stopped += 1
                        let resumed = try await world.erasing { try await $0.resume() }
                        // Before the first transaction there is nothing to resume, and the list knows who was meant.
                        if resumed.isEmpty {
                            _ = try await world.erasing { try await $0.reapply(world.eraseList.read()) }
                        }
                    }
                    try await expectErased(plan, world, "\(place), after \(skipped)")
                }
            }
            #expect(stopped >= Self.places.count)
            let last = try await client.found("last.example")
            expectOutcome(try await client.logIn(last.person, last.device), "success")
        }
    }

    /// Makes the statement at a place fail after it went well a number of times; or nothing fail any more.
    private func fail(_ place: String?, after count: Int, _ world: TenureWorld) async throws {
        try await world.superuser { connection in
            try await connection.executeScript(
                """
                DROP FUNCTION IF EXISTS public.stop CASCADE;
                DROP SEQUENCE IF EXISTS public.stops;
                """)
            guard let place else { return }
            try await connection.executeScript(
                """
                CREATE SEQUENCE public.stops;
                GRANT USAGE ON SEQUENCE public.stops TO tenure_app;
                CREATE FUNCTION public.stop() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF nextval('public.stops') > \(count) THEN RAISE EXCEPTION 'stopped'; END IF;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER stop \(place) FOR EACH STATEMENT EXECUTE FUNCTION public.stop();
                """)
        }
    }

    private func expectErased(_ plan: ErasurePlan, _ world: TenureWorld, _ comment: Comment) async throws {
        let ids = plan.people.map(\.id)
        try await world.superuser { connection in
            let keys = try await connection.query("SELECT key_id FROM tenure.person_key WHERE key_id = ANY (\(ids))")
            #expect(keys.isEmpty, comment)
            let claims = try await connection.query(
                """
                SELECT kind FROM tenure.claim
                WHERE kind IN ('member', 'address', 'device') AND owner = ANY (\(ids))
                """)
            #expect(claims.isEmpty, comment)
            let sessions = try await connection.query(
                "SELECT employee_id FROM tenure.session WHERE employee_id = ANY (\(ids))")
            #expect(sessions.isEmpty, comment)
            let rows = try await connection.query(
                """
                SELECT person_id FROM tenure.erasure
                WHERE person_id = ANY (\(ids)) AND destroyed_at IS NOT NULL AND master_version = 1
                """)
            #expect(rows.count == 3, comment)
            let events = try await connection.query(
                """
                SELECT event_id FROM tenure.event
                WHERE stream_id = ANY (\(ids)) AND type IN ('EmployeeErased', 'UserErased')
                """)
            #expect(events.count == 3, comment)
            let seeds = try await connection.query(
                """
                SELECT s.credential_id FROM tenure.oprf_seed AS s WHERE NOT EXISTS (
                    SELECT FROM tenure.person_key AS p WHERE p.ledger_id = s.ledger_id)
                """)
            #expect(seeds.isEmpty, comment)
        }
    }
}

@Suite(.onServer)
struct `An erasure beside concurrent calls of the person` {
    @Test func `leaves no concurrently registered account`() async throws {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("race.example")
            _ = try await client.found("race-too.example")
            var outcomes: [String] = []
            for round in 0..<12 {
                let first = try await client.join(Person("first-\(round)", at: "race.example"))
                let person = first.person.also("second-\(round)", at: "race-too.example")
                let device = Device()
                let flow = try await Flow.register(person, device, client)
                let completion = try flow.completion(person, try await flow.prove(device))
                let plan = try await world.erasing { try await $0.plan(email: person.email) }
                async let reply = client.send(completion)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
                _ = try await world.erasing { try await $0.run(plan) }
                // Whoever came first is erased, whoever came last is refused; how often each is for the scheduler.
                let registered = try await reply
                outcomes.append(registered.code ?? registered.outcome ?? "")
                #expect(registered.status == 200 || (400..<500).contains(registered.status), "\(registered)")
                try await expectNobody(plan.people[0].id, world)
            }
            #expect(outcomes.count == 12 && !outcomes.contains(""), "\(outcomes)")
        }
    }

    @Test func `leaves no session`() async throws {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("session-race.example")
            for round in 0..<8 {
                let member = try await client.join(Person("m-\(round)", at: "session-race.example"))
                async let login = client.logIn(member.person, member.device)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...120)))
                let erased = try await world.erase(member.person)
                let reply = try await login
                if reply.outcome == "success" {
                    let session = try Member(member.person, member.device, reply).session
                    try expectProblem(try await client.get("/v1/sessions", by: session), "session.invalid")
                } else {
                    #expect(reply.status < 500, "\(reply)")
                }
                let ids = erased.map(\.id)
                let sessions = try await world.superuser { connection in
                    try await connection.query(
                        "SELECT session_id FROM tenure.session WHERE employee_id = ANY (\(ids))")
                }
                #expect(sessions.isEmpty)
            }
        }
    }

    /// The user has no key, and neither has any employee that was ever registered for the user.
    private func expectNobody(_ user: UUID, _ world: TenureWorld) async throws {
        try await world.superuser { connection in
            let text = user.uuidString.lowercased()
            let left = try await connection.query(
                """
                SELECT p.key_id FROM tenure.person_key AS p
                WHERE p.key_id = \(user) OR p.key_id IN (
                    SELECT e.stream_id FROM tenure.event AS e WHERE e.type = 'EmployeeRegistered'
                        AND convert_from(e.entry, 'UTF8')::json -> 'data' ->> 'userId' = \(text))
                """)
            #expect(left.isEmpty)
            let members = try await connection.query("SELECT kind FROM tenure.claim WHERE owner = \(user)")
            #expect(members.isEmpty)
        }
    }
}
