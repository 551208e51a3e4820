import Canonical
import Foundation
@testable import Identity
import Keys
import Postgres
import TestSupport
import Testing

@testable import EventCoding
@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct InterruptedMPinErasureTests {
    /// Where a transaction of an erasure is made to fail, which is what a kill leaves behind.
    private static let places = [
        "BEFORE INSERT ON tenure.erasure", "BEFORE INSERT ON tenure.event", "BEFORE DELETE ON tenure.claim",
        "BEFORE DELETE ON tenure.person_key", "BEFORE UPDATE ON tenure.bucket_key",
        "BEFORE UPDATE OF master_version ON tenure.erasure", "BEFORE UPDATE OF destroyed_at ON tenure.erasure",
    ]

    @Test(.enabled(if: !TestServer.isDistributed, "it uses triggers, which Citus refuses"))
    func `resumes from any point, and no identity or code stays partly erased`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            var stopped = 0
            for (number, place) in Self.places.enumerated() {
                for skipped in 0..<4 {
                    let name = "p-\(number)-\(skipped)"
                    let employee = try await stage.register(name)
                    let linked = try await stage.identity(name), second = try await stage.identity(name, slot: 1)
                    let code = try await stage.code(for: name)
                    for id in [linked, second] { try await stage.link(id, to: employee) }
                    let ids = [employee.uuid, linked.uuid, second.uuid, code.uuid]
                    let plan = try await stage.erasure.plan(company: MPinStage.company, employee: name)
                    try await fail(place, after: skipped, stage)
                    let first = try? await stage.erasure.run(plan)
                    try await fail(nil, after: 0, stage)
                    if first == nil {
                        stopped += 1
                        let resumed = try await stage.erasure.resume()
                        // Before the first transaction there is nothing to resume, and the list knows who was meant.
                        if resumed.isEmpty { _ = try await stage.erasure.reapply(stage.list.read()) }
                    }
                    try await expectErased(ids, identities: [linked, second], stage, "\(place), after \(skipped)")
                }
            }
            #expect(stopped >= 2 * Self.places.count)
        }
    }

    @Test func `a restored backup loses them again, and those that were linked after it too`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let leaver = try await stage.register("2")
            let linked = try await stage.identity("2"), unlinked = try await stage.identity("zoe@mail.example")
            let code = try await stage.code(for: "zoe@mail.example"),
                kept = try await stage.identity("kept@mail.example")
            let backup = try await stage.backup()
            try await stage.link(linked, to: leaver)
            let later = try await stage.identity("zoe@mail.example", slot: 1)
            _ = try await stage.erasure.run(try await stage.erasure.plan(company: MPinStage.company, employee: "2"))
            _ = try await stage.erasure.run(
                try await stage.erasure.plan(company: MPinStage.company, mpin: "zoe@mail.example"))
            let ids = [leaver.uuid, linked.uuid, unlinked.uuid, code.uuid, later.uuid]
            #expect(Set(try stage.list.read().map(\.id)) == Set(ids))
            try await stage.restored(backup) { copy in
                #expect(try await copy.keys(of: ids).count == 4)
                let erased = try await copy.erasure.reapply(try stage.list.read())
                // The identity that started after the backup is not in it.
                #expect(Set(erased.map(\.id)) == Set(ids.dropLast()))
                #expect(try await copy.keys(of: ids + [kept.uuid]) == [kept.uuid])
                #expect(try await copy.state(linked).isErased)
                let text = try await copy.shown().map { String(decoding: $0.json.canonicalBytes(), as: UTF8.self) }
                #expect(!text.joined().contains("zoe@mail.example"))
                #expect(try await copy.findings().filter { $0.contains("MPinErased") } == [])
            }
        }
    }

    /// Makes the statement at a place fail after it went well a number of times; or nothing fail any more.
    private func fail(_ place: String?, after count: Int, _ stage: MPinStage) async throws {
        var connection = try await stage.database.connect(as: .superuser)
        try await connection.executeScript(
            "DROP FUNCTION IF EXISTS public.stop CASCADE; DROP SEQUENCE IF EXISTS public.stops;")
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

    private func expectErased(
        _ ids: [UUID], identities: [MPinIdentityID], _ stage: MPinStage, _ comment: Comment
    ) async throws {
        #expect(try await stage.keys(of: ids) == [], comment)
        for id in identities {
            #expect(try await stage.state(id).isErased, comment)
            #expect(try await stage.claims(of: id.uuid) == ["mpin"], comment)
        }
        let open = try await stage.superuser(
            "SELECT person_id FROM tenure.erasure WHERE person_id = ANY (\(ids)) AND destroyed_at IS NULL")
        #expect(open.isEmpty, comment)
        let events = try await stage.superuser(
            """
            SELECT event_id FROM tenure.event
            WHERE stream_id = ANY (\(ids)) AND type IN ('EmployeeErased', 'MPinErased')
            """)
        #expect(events.count == 3, comment)
    }
}
