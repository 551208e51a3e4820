import Canonical
import Foundation
@testable import Identity
import Ledger
import TestSupport
import Testing

@testable import EventCoding
@testable import IdentityService

/// Bundles with M-Pin events, verified without a database and without keys.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct MPinBundleTests {
    /// Signs the ledgers and exports them: the system's whole, the tenant's as asked. Returns the findings offline.
    private func findings(_ stage: MPinStage, _ content: BundleManifest.Content) async throws -> [String] {
        let signer = try SealedLog.signer()
        let sealing = SealedLog.sealing(
            stage.context.pool, stage.readers, stage.appender, signer, codes: EventCodes(stage.context.ring))
        let anchor = try #require(try await sealing.run())
        let directory = stage.installation.directory + "/bundle-" + UUID().uuidString
        let reader = LedgerReader(pool: stage.readers, codes: .unchecked, storesTiles: false)
        let writer = try BundleWriter(directory: directory, key: signer.key)
        for (ledger, checkpoint) in try await reader.checkpoints() {
            let isWhole = ledger == .system || content == .whole
            try await writer.begin(
                checkpoint, isWhole ? .whole : content, hashes: LedgerHashes(reader: reader, ledger: ledger))
            for event in try await reader.ledger(ledger, limit: 1_000).events
            where event.position <= checkpoint.checkpoint.size && (isWhole || event.type.hasPrefix("MPin")) {
                try await writer.append(event.entry, at: event.position)
            }
        }
        try await writer.finish()
        let report = try await VerifyBundle(
            BundleReader(directory: directory), request: VerifyRequest(key: signer.key, anchor: anchor)
        ).run()
        #expect(report.isAnchored)
        // The people of the stage have no credentials, so nothing causes their device keys.
        return report.violations.map { "\($0.detail)" }.filter { $0 != CauseTable.uncausedKey }
    }

    @Test(arguments: [BundleManifest.Content.whole, .part])
    func `a bundle with identities, ended and erased ones too, verifies`(content: BundleManifest.Content) async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let erased = try await stage.identity("zoe@mail.example")
            let blocked = try await stage.identity("other@mail.example")
            try await stage.append(
                (1...3).map { MPinAuthenticationFailed(failures: $0, limit: 3, lifetime: $0) as any EventPayload }
                    + [MPinBlocked(reason: .failures)], to: .mpin(blocked, in: stage.tenant))
            let plan = try await stage.erasure.plan(company: MPinStage.company, mpin: erased.description)
            _ = try await stage.erasure.run(plan)
            #expect(try await findings(stage, content) == [])
        }
    }

    @Test func `a bundle with an erasure that nobody signed does not verify`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let id = try await stage.identity("zoe@mail.example")
            try await stage.append([MPinErased(by: .operator(nil))], to: .mpin(id, in: stage.tenant))
            #expect(try await findings(stage, .whole) == ["the decision to erase personal data has no signature"])
        }
    }
}
