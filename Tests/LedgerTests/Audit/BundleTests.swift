import Canonical
import Foundation
import Testing

@testable import Ledger

/// Bundles made of entries in memory; a directory of its own for each test.
@Suite struct BundleTests {
    static let ledger = LedgerID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))

    /// Entries as they are recorded, and the tree over them.
    struct Log: MerkleHashes {
        let entries: [[UInt8]]
        let leaves: [[UInt8]]

        init(_ size: Int, ledger: LedgerID = BundleTests.ledger) throws {
            let stream = StreamID(ledger: ledger, kind: "thing", id: ledger.uuid)
            entries = try (1...size).map { number in
                let event = NewEvent(
                    id: UUID(), stream: stream, type: "ThingHappened",
                    data: ["note": #","index":7,"proof":["#, "number": .integer(Int64(number))])
                return try Entry.encode(event, version: number, time: Timestamp(microseconds: Int64(number)))
            }
            leaves = entries.map(MerkleTree.leafHash)
        }

        func hashes(level: Int, _ indices: Range<Int64>) async throws -> [[UInt8]] {
            let width = 1 << (8 * level)
            return indices.map { MerkleTree.root(leaves: leaves[Int($0) * width..<(Int($0) + 1) * width]) }
        }

        func checkpoint(_ signer: CheckpointSigner, ledger: LedgerID = BundleTests.ledger) throws -> SignedCheckpoint {
            try signer.sign(ledger, size: Int64(entries.count), root: MerkleTree.root(leaves: leaves))
        }
    }

    static func write(
        _ log: Log, _ content: BundleManifest.Content, positions: [Int64], to directory: String
    ) async throws {
        let signer = try CheckpointTests.signer()
        let writer = try BundleWriter(directory: directory, key: signer.key, filter: ["company": "acme.example"])
        do {
            try await writer.begin(try log.checkpoint(signer), content, hashes: log)
            for position in positions { try await writer.append(log.entries[Int(position) - 1], at: position) }
            try await writer.finish()
        } catch {
            await writer.discard()
            throw error
        }
    }

    static func read(_ directory: String) async throws -> [RecordedEvent] {
        let bundle = try BundleReader(directory: directory)
        try bundle.verifyCheckpoints(try CheckpointTests.signer().key)
        var events: [RecordedEvent] = []
        for part in bundle.manifest.parts { try await bundle.read(part) { events.append($0) } }
        return events
    }

    @Test(arguments: [1, 255, 256, 257, 700])
    func `a whole ledger round-trips entry by entry`(size: Int) async throws {
        try await TemporaryBundle.with { directory in
            let log = try Log(size)
            try await Self.write(log, .whole, positions: Array(1...Int64(size)), to: directory)
            let events = try await Self.read(directory)
            #expect(events.map(\.entry) == log.entries)
            #expect(events.map(\.position) == Array(1...Int64(size)))
        }
    }

    @Test(arguments: [[], [1], [700], [1, 256, 257, 512, 513, 699], Array(1...700)] as [[Int64]])
    func `a part of a ledger round-trips with its positions`(positions: [Int64]) async throws {
        try await TemporaryBundle.with { directory in
            let log = try Log(700)
            try await Self.write(log, .part, positions: positions, to: directory)
            let events = try await Self.read(directory)
            #expect(events.map(\.position) == positions)
            #expect(events.map(\.entry) == positions.map { log.entries[Int($0) - 1] })
        }
    }

    @Test func `several ledgers are bundled in the order of their ids`() async throws {
        try await TemporaryBundle.with { directory in
            let signer = try CheckpointTests.signer()
            let writer = try BundleWriter(directory: directory, key: signer.key)
            let ledgers = [LedgerID.system, LedgerID.directory(3), Self.ledger]
            for ledger in ledgers {
                let log = try Log(3, ledger: ledger)
                try await writer.begin(
                    try log.checkpoint(signer, ledger: ledger), ledger == .system ? .whole : .part, hashes: log)
                for position in 1...3 { try await writer.append(log.entries[position - 1], at: Int64(position)) }
            }
            await #expect(throws: ProofError.self) {
                let log = try Log(3, ledger: .system)
                try await writer.begin(try log.checkpoint(signer, ledger: .system), .part, hashes: log)
            }
            try await writer.finish()
            #expect(try await Self.read(directory).map(\.ledger) == ledgers.flatMap { [$0, $0, $0] })
        }
    }

    @Test func `entries beyond the checkpoint cannot be bundled`() async throws {
        try await TemporaryBundle.with { directory in
            var log = try Log(300)
            let signer = try CheckpointTests.signer()
            for content in [BundleManifest.Content.whole, .part] {
                let writer = try BundleWriter(directory: directory, key: signer.key)
                try await writer.begin(try log.checkpoint(signer), content, hashes: log)
                let error = await #expect(throws: ProofError.self) {
                    for position in 1...300 {
                        let entry = log.entries[position == 9 ? 0 : position - 1]
                        try await writer.append(entry, at: Int64(position))
                    }
                    try await writer.finish()
                }
                #expect(error?.code == .rootMismatch)
                await writer.discard()
                #expect(!FileManager.default.fileExists(atPath: directory))
                #expect(!FileManager.default.fileExists(atPath: directory + ".partial"))
            }
            log = try Log(2)
            for positions in [[2], [2, 1], [1, 1], [1], [1, 2, 3]] as [[Int64]] {
                await #expect(throws: ProofError.self, "\(positions)") {
                    let writer = try BundleWriter(directory: directory, key: signer.key)
                    do {
                        try await writer.begin(try log.checkpoint(signer), .whole, hashes: log)
                        for position in positions { try await writer.append(log.entries[0], at: position) }
                        try await writer.finish()
                    } catch {
                        await writer.discard()
                        throw error
                    }
                }
            }
        }
    }

    @Test func `an existing directory is not overwritten`() async throws {
        try await TemporaryBundle.with { directory in
            let log = try Log(1)
            try await Self.write(log, .whole, positions: [1], to: directory)
            await #expect(throws: ProofError.self) { try await Self.write(log, .whole, positions: [1], to: directory) }
            #expect(try await Self.read(directory).count == 1)
        }
    }
}

/// The name of a bundle in a directory that is removed afterwards.
enum TemporaryBundle {
    static func with<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("bundle-\(UUID().lowercased)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        return try await body(place.appendingPathComponent("bundle").path)
    }
}
