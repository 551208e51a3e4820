import Canonical
import Credentials
import Foundation
import IdentityService
import Postgres
import Testing
import TestSupport

/// What becomes of acknowledged events on a database that does not wait for its disks by default.
@Suite(.onServer, .serialized)
struct `A database without durable commits` {
    /// The lines of `tenure doctor` about durability, for a service on this database.
    private func doctor(_ world: TenureWorld) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess(
            "tenure", ["doctor", "--json"],
            environment: [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_READER_DATABASE_URL": world.database.url(as: .reader), "SWIFT_BACKTRACE": "enable=no",
            ]
        ).finish()
    }

    /// Changes what holds in new sessions of the service's role, in this database alone.
    private func set(_ setting: String, _ world: TenureWorld) async throws {
        try await world.superuser { connection in
            let rows = try await connection.query("SELECT current_database()")
            let name = try #require(rows.first).decode(String.self)
            try await connection.executeScript("ALTER ROLE tenure_app IN DATABASE \"\(name)\" SET \(setting)")
        }
    }

    /// Has the server note, for each row of the tables that an answer vouches for, whether the commit waits.
    private func watch(_ world: TenureWorld) async throws {
        let tables = ["event", "checkpoint", "person_key", "oprf_seed", "session", "bucket_key", "purpose_key"]
        try await world.superuser { connection in
            try await connection.executeScript(
                """
                CREATE TABLE public.written (place text, waits text);
                CREATE FUNCTION public.note_written() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    INSERT INTO public.written VALUES (TG_TABLE_NAME, current_setting('synchronous_commit'));
                    RETURN NULL;
                END
                $$;
                """
                    + tables.map { table in
                        """
                        CREATE TRIGGER note_written AFTER INSERT OR UPDATE ON tenure.\(table)
                        FOR EACH ROW EXECUTE FUNCTION public.note_written();
                        """
                    }.joined())
        }
    }

    @Test func `is reported by tenure doctor with the service's own session settings`() async throws {
        try await inTurn { world in
            try await set("synchronous_commit = on", world)
            let subject = #""subject":"synchronous_commit""#
            #expect(try await !doctor(world).lines.contains { $0.contains(subject) })
            try await set("synchronous_commit = off", world)
            let lines = try await doctor(world).lines
            #expect(lines.contains { $0.contains(subject) && $0.contains(#""verdict":"note""#) }, "\(lines)")
        }
    }

    @Test(.onOneServer) func `loses no event by a role's default, because the service sets durability for each commit`()
        async throws
    {
        try await inTurn { world in
            try await set("synchronous_commit = off", world)
            try await watch(world)
            try await ServiceProcess.with(1, in: world) { processes in
                let client = processes[0].client
                let founder = try await client.found("durable.example")
                expectOutcome(try await client.logIn(founder.person, founder.device), "success")
            }
            let places = try await world.superuser { connection in
                try await connection.query("SELECT DISTINCT place FROM public.written WHERE waits <> 'on'")
                    .map { try $0.decode(String.self) }
            }
            #expect(places == [], "these commits do not wait")
            let seen = try await world.superuser { connection in
                try await connection.query("SELECT DISTINCT place FROM public.written").map {
                    try $0.decode(String.self)
                }
            }
            #expect(Set(seen).isSuperset(of: ["event", "person_key", "oprf_seed", "session"]), "\(seen)")
        }
    }

    @Test func `is reported by a gauge and a warning at the start`() async throws {
        try await inTurn { world in
            let isOn = try await world.superuser { connection in
                try await connection.query("SELECT current_setting('fsync') = 'on'").first?.decode(Bool.self)
            }
            let fsync = isOn ?? false
            #expect(isOn != nil)
            let metrics = await world.instance.metrics()
            #expect(metrics.contains("tenure_database_durable{setting=\"fsync\"} \(fsync ? 1 : 0)\n"), "\(metrics)")
            #expect(metrics.contains("tenure_database_durable{setting=\"synchronous_commit\"} "))
            #expect(metrics.contains("tenure_database_durable{setting=\"full_page_writes\"} "))
            try await ServiceProcess.with(1, in: world, logLevel: "trace") { processes in
                let log = await processes[0].ended()
                #expect(log.components(separatedBy: "fsync is off: ").count == (fsync ? 1 : 2))
            }
        }
    }
}

/// Which steps of a flow are on the disk before they are answered: all but those that a crash may take back.
@Suite(.onOneServer)
struct `A step of a flow` {
    /// Has the server note, for each version of each flow's row, whether the commit waits.
    private func watch(_ world: TenureWorld) async throws {
        try await world.superuser { connection in
            try await connection.executeScript(
                """
                CREATE TABLE public.step (number bigserial, flow uuid, version integer, waits text);
                CREATE FUNCTION public.note_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    INSERT INTO public.step (flow, version, waits)
                    VALUES (NEW.flow_id, NEW.version, current_setting('synchronous_commit'));
                    RETURN NULL;
                END
                $$;
                CREATE TRIGGER note_step AFTER INSERT OR UPDATE ON tenure.flow
                FOR EACH ROW EXECUTE FUNCTION public.note_step();
                """)
        }
    }

    /// What was noted since the last call: the version of each step, and whether its commit waited.
    private func steps(_ world: TenureWorld) async throws -> [String] {
        try await world.superuser { connection in
            let rows = try await connection.query("SELECT version, waits FROM public.step ORDER BY number")
            _ = try await connection.query("DELETE FROM public.step")
            return try rows.map { row in
                let (version, waits) = try row.decode(Int32.self, String.self)
                return "\(version) \(waits)"
            }
        }
    }

    @Test func `commits durably unless it only begins or proves the device key`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("waits.example")
            let blind = try await client.foundBlind("waits-blind.example")
            try await watch(world)

            // Begun, proved, charged and, as it ended, finished.
            expectOutcome(try await client.logIn(founder.person, founder.device), "success")
            #expect(try await steps(world) == ["1 off", "2 off", "3 on", "4 on"])

            // Nobody's flow is the same as far as it goes: charged, and refused.
            let nobody = Person("nobody", at: "waits.example"), device = Device()
            let unknown = try await Flow.logIn(nobody, device, client)
            let asked = try await unknown.prove(device)
            _ = try await unknown.complete(nobody, asked)
            let noted = try await steps(world)
            #expect(noted.prefix(2) == ["1 off", "2 off"] && noted.count > 2)
            #expect(noted.dropFirst(2).allSatisfy { $0.hasSuffix(" on") })

            // In blind mode the proof is a step of its own, also a wrong one.
            let flow = try await BlindFlow.start(.logins, blind.person, blind.device, client)
            let opening = try flow.opening(passphrase: try #require(blind.person.passphrase))
            _ = try #require(try await flow.open(opening))
            let wrong: JSONValue = ["userSignature": .string(Base64.encode([UInt8](repeating: 7, count: 64)))]
            try expectProblem(try await flow.flow.step("proof", wrong), "passphrase.incorrect", goesOn: true)
            #expect(try await steps(world) == ["1 off", "2 off", "3 on", "4 on"])
        }
    }

    @Test func `commits durably if the proof of the key ends the flow`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("waits-recovery.example")
            try await watch(world)
            let (_, reply) = try await client.askToRecover(founder.person, Device())
            expectOutcome(reply, "authorizationPending")
            #expect(try await steps(world) == ["1 off", "2 on"])
        }
    }
}
