import Canonical
import Foundation
import Keys
import Ledger
import TestSupport
import Testing

/// Recoveries at the operator's command line.
@Suite(.onServer)
struct `A recovery at the command line` {
    private func tenure(
        _ arguments: [String], _ world: TenureWorld, withDatabase: Bool = true
    ) async throws -> (status: Int32, lines: [String]) {
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        if withDatabase {
            environment["TENURE_READER_DATABASE_URL"] = world.database.url(as: .reader)
            environment["TENURE_MASTER_KEY_FILE"] = world.keyFile.path
        }
        return try await ChildProcess("tenure", arguments, environment: environment).finish()
    }

    /// Waits until what happened up to a position is sealed.
    private func sealed(_ company: String, upTo position: Int64, _ client: Client) async throws {
        for _ in 0..<1_200 {
            let reply = try await client.get(client.path(company, "/checkpoint"))
            let note = String(decoding: reply.body, as: UTF8.self)
            if reply.status == 200, let signed = try? SignedCheckpoint(parsing: note),
                signed.checkpoint.size >= position
            {
                return
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("nothing was sealed")
    }

    @Test func `is replayed with who decided, and verifies in the database and in a bundle of everything`() async throws
    {
        try await inTurn { world in
            let client = try world.client
            let company = "replayed-recovery.example"
            let scene = try await RecoveryScene(company, client)
            try await scene.approve()
            let done = try await client.finishRecovery(scene.renewed, scene.device, blind: false)
            expectOutcome(done, "authorizationPending")
            let replayed = try await tenure(["replay", "--company", company], world)
            #expect(replayed.status == 0)
            for (type, who) in [("RecoveryOpened", "founder"), ("RecoveryConfirmed", "admin")] {
                let line = replayed.lines.first { $0.contains(type) }
                #expect(line?.contains("lost") == true && line?.contains("by \(who)") == true, "\(replayed.lines)")
            }
            let files = try TemporaryFiles()
            defer { files.remove() }
            let bundle = files.path("bundle")
            #expect(try await tenure(["verify"], world).status == 0)
            try await sealed(company, upTo: try #require(done["position"]?.number), client)
            #expect(try await tenure(["replay", "--export", bundle], world).status == 0)
            let key = try #require(try await tenure(["anchor", "--key-only"], world).lines.first)
            let verified = try await tenure(
                ["verify", "--bundle", bundle, "--key", key], world, withDatabase: false)
            #expect(verified.status == 0, "\(verified.lines)")
        }
    }
}
