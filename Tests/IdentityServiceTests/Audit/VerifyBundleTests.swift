import Canonical
import Foundation
import IdentityService
import Ledger
import Postgres
import TestSupport
import Testing

/// Bundles of a real log, verified without its database.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct VerifyBundleTests {
    /// Exports the system ledger whole, and the other ones as asked.
    private func export(
        _ log: SealedLog, _ content: BundleManifest.Content, every step: Int64 = 1, system: Bool = true,
        to directory: String
    ) async throws {
        let reader = LedgerReader(pool: log.readerPool, codes: .unchecked, storesTiles: false)
        let writer = try BundleWriter(directory: directory, key: log.signer.key)
        do {
            for (ledger, checkpoint) in try await reader.checkpoints() where system || ledger != .system {
                let isSystem = ledger == .system
                try await writer.begin(
                    checkpoint, isSystem ? .whole : content, hashes: LedgerHashes(reader: reader, ledger: ledger))
                let size = checkpoint.checkpoint.size
                for event in try await reader.ledger(ledger, limit: 1_000).events
                where event.position <= size && (isSystem || event.position % step == 0) {
                    try await writer.append(event.entry, at: event.position)
                }
            }
            try await writer.finish()
        } catch {
            await writer.discard()
            throw error
        }
    }

    private func verify(_ directory: String, key: LogKey, anchor: Anchor? = nil) async throws -> VerifyReport {
        try await VerifyBundle(
            BundleReader(directory: directory), request: VerifyRequest(key: key, anchor: anchor)
        ).run()
    }

    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("verify-\(UUID().lowercased)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        try await body(place.appendingPathComponent("bundle").path)
    }

    @Test(arguments: [(BundleManifest.Content.whole, 1, 602), (.part, 1, 602), (.part, 7, 2 + 2 * 42)])
    func `a bundle verifies with only the key and the anchor`(
        content: BundleManifest.Content, step: Int64, events: Int64
    ) async throws {
        try await SealedLog.with { log in
            try await withDirectory { directory in
                try await export(log, content, every: step, to: directory)
                let report = try await verify(directory, key: log.signer.key, anchor: log.anchor)
                #expect(report.violations == [])
                #expect(report.ledgers == 3 && report.events == events)
                let wrong = try await verify(directory, key: try SealedLog.signer(8).key)
                #expect(wrong.violations.count == 3 && wrong.violations.allSatisfy { $0.kind == .checkpoint })
            }
        }
    }

    @Test func `the anchor reveals a bundle that is older or of another log`() async throws {
        try await SealedLog.with { log in
            try await withDirectory { directory in
                try await export(log, .part, every: 50, to: directory)
                try await SealedLog.append(log.appender, from: 300, count: 3)
                let newer = try #require(
                    try await SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer).run())
                let old = try await verify(directory, key: log.signer.key, anchor: newer)
                #expect(old.violations.first?.kind == .checkpoint)
                let root = MerkleTree.root(leaves: [MerkleTree.leafHash([1])])
                let size = log.anchor.checkpoint.checkpoint.size
                let other = try Anchor(
                    key: log.signer.key, checkpoint: try log.signer.sign(.system, size: size, root: root))
                let foreign = try await verify(directory, key: log.signer.key, anchor: other)
                #expect(foreign.violations.contains { $0.ledger == .system && $0.kind == .root })
            }
        }
    }

    @Test
    func `a later bundle continues the earlier one's anchor, a rewritten log does not`()
        async throws
    {
        try await SealedLog.with { log in
            try await withDirectory { directory in
                try await export(log, .whole, to: directory)
                try await SealedLog.append(log.appender, from: 300, count: 30)
                let newer = try #require(
                    try await SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer).run())
                try await export(log, .whole, to: directory + "-later")
                let later = try await verify(directory + "-later", key: log.signer.key, anchor: log.anchor)
                #expect(later.violations == [] && later.isAnchored && later.events == 633)
                let earlier = try await verify(directory, key: log.signer.key, anchor: newer)
                #expect(earlier.violations.map(\.kind) == [.checkpoint])
            }
            // The same key, the same number of seals and more: only the anchor tells that it is another history.
            try await SealedLog.with { forged in
                try await SealedLog.append(forged.appender, from: 300, count: 30)
                try await forged.seal()
                try await withDirectory { directory in
                    try await export(forged, .whole, to: directory)
                    #expect(try await verify(directory, key: log.signer.key).violations == [])
                    let report = try await verify(directory, key: log.signer.key, anchor: log.anchor)
                    let first = try #require(report.violations.first)
                    #expect(first.ledger == .system && first.kind == .root, "\(report.violations)")
                    #expect(first.position == 1 && first.lastPosition == log.anchor.checkpoint.checkpoint.size)
                }
            }
        }
    }

    @Test func `a bundle without the whole system ledger is not compared with the anchor, and says so`() async throws {
        try await SealedLog.with { log in
            let root = MerkleTree.root(leaves: [MerkleTree.leafHash([1])])
            let foreign = try Anchor(
                key: log.signer.key, checkpoint: try log.signer.sign(.system, size: 1, root: root))
            try await withDirectory { directory in
                try await export(log, .whole, system: false, to: directory)
                let report = try await verify(directory, key: log.signer.key, anchor: foreign)
                #expect(report.violations == [] && !report.isAnchored)
                try await export(log, .whole, to: directory + "-whole")
                let whole = try await verify(directory + "-whole", key: log.signer.key, anchor: foreign)
                #expect(whole.isAnchored && whole.violations.contains { $0.ledger == .system && $0.kind == .root })
            }
        }
    }

    @Test(arguments: [BundleManifest.Content.whole, .part])
    func `verification names a changed entry by ledger and position`(content: BundleManifest.Content) async throws {
        try await SealedLog.with { log in
            try await withDirectory { directory in
                try await export(log, content, to: directory)
                let file = URL(
                    fileURLWithPath: "\(directory)/\(SealedLog.ledger)/"
                        + (content == .whole ? "tile/entries/000" : "entries.ndjson"))
                var bytes = try Data(contentsOf: file)
                let range = try #require(bytes.firstRange(of: Data("as it was".utf8)))
                bytes[range.lowerBound] = UInt8(ascii: "A")
                try bytes.write(to: file)
                let report = try await verify(directory, key: log.signer.key, anchor: log.anchor)
                #expect(report.violations.count == 1)
                let first = try #require(report.violations.first)
                #expect(first.ledger == SealedLog.ledger && first.position == 1 && first.kind == .root)
            }
        }
    }

    /// What was signed is bundled; a log that is not what was signed cannot be.
    @Test func `a changed log cannot be exported`() async throws {
        try await SealedLog.with { log in
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = convert_to(replace(convert_from(entry, 'UTF8'), 'as it was',
                    'as we like'), 'UTF8') WHERE ledger_id = \(SealedLog.ledger.uuid) AND position = 17
                """)
            try await withDirectory { directory in
                for content in [BundleManifest.Content.whole, .part] {
                    let error = await #expect(throws: ProofError.self) {
                        try await export(log, content, to: directory)
                    }
                    #expect(error?.code == .rootMismatch)
                    #expect(!FileManager.default.fileExists(atPath: directory))
                }
            }
        }
    }
}
