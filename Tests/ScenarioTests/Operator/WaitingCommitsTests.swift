import Canonical
import Credentials
import Postgres
import Testing

/// Which steps of a flow are on the disk before they are answered: all but those that a crash may take back.
@Suite(.onServer)
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

    @Test func `waits for the disk unless it only begins or proves the device's key`() async throws {
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

    @Test func `waits where the proof of the key ends the flow`() async throws {
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
