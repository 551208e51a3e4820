import Canonical
import Foundation
import Testing

@testable import Ledger

@Suite struct BundleTamperingTests {
    private static func files(_ directory: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return names.map { "\(directory)/\($0)" }.filter { path in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
        }.sorted()
    }

    private static func entries(_ directory: String, _ content: BundleManifest.Content) -> String {
        "\(directory)/\(BundleTests.ledger)/" + (content == .whole ? "tile/entries/000.p/40" : "entries.ndjson")
    }

    /// Every file, at places all over it. Only words of the manifest's maker are not bound by anything.
    @Test(arguments: [BundleManifest.Content.whole, .part])
    func `a flipped bit of any file is noticed`(content: BundleManifest.Content) async throws {
        try await TemporaryBundle.with { directory in
            let log = try BundleTests.Log(40)
            try await BundleTests.write(log, content, positions: Array(1...40), to: directory)
            let original = try await BundleTests.read(directory)
            for file in try Self.files(directory) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
                for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 60)) {
                    var changed = bytes
                    changed[place] ^= 1 << UInt8(place % 8)
                    try changed.write(to: URL(fileURLWithPath: file))
                    let events = try? await BundleTests.read(directory)
                    if file.hasSuffix("manifest.json") {
                        #expect(events == nil || events == original)
                    } else {
                        #expect(events == nil, "\(file) \(place)")
                    }
                }
                try bytes.write(to: URL(fileURLWithPath: file))
            }
            #expect(try await BundleTests.read(directory) == original)
        }
    }

    @Test(arguments: [BundleManifest.Content.whole, .part])
    func `verification names a changed entry's position and returns nothing after it`(
        content: BundleManifest.Content
    ) async throws {
        try await TemporaryBundle.with { directory in
            let log = try BundleTests.Log(40)
            try await BundleTests.write(log, content, positions: Array(1...40), to: directory)
            let file = Self.entries(directory, content)
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            let range = try #require(bytes.firstRange(of: Data(#""number":23"#.utf8)))
            bytes[range.upperBound - 1] = UInt8(ascii: "4")
            try bytes.write(to: URL(fileURLWithPath: file))
            let bundle = try BundleReader(directory: directory)
            var last: Int64 = 0
            let error = await #expect(throws: ProofError.self) {
                try await bundle.read(bundle.manifest.parts[0]) { last = $0.position }
            }
            #expect(error?.code == .rootMismatch)
            #expect(error?.reason.contains("position 23:") == true)
            #expect(last < 23)
        }
    }

    @Test func `missing, repeated, swapped or truncated lines are noticed`() async throws {
        try await TemporaryBundle.with { directory in
            let log = try BundleTests.Log(5)
            try await BundleTests.write(log, .part, positions: [1, 2, 4, 5], to: directory)
            let file = URL(fileURLWithPath: Self.entries(directory, .part))
            let text = try String(contentsOf: file, encoding: .utf8)
            let lines = text.split(separator: "\n").map { $0 + "\n" }
            let changes = [
                lines.dropFirst().joined(), lines.dropLast().joined(), (lines + [lines[3]]).joined(),
                [lines[1], lines[0], lines[2], lines[3]].joined(), String(text.dropLast()), text + "\n", "",
                ([lines[0]] + lines).joined(), text.replacingOccurrences(of: "\n", with: " \n"),
            ]
            for change in changes {
                try change.write(to: file, atomically: true, encoding: .utf8)
                await #expect(throws: ProofError.self) { try await BundleTests.read(directory) }
            }
        }
    }

    @Test func `links, foreign files and another ledger's checkpoint are refused`() async throws {
        try await TemporaryBundle.with { directory in
            let log = try BundleTests.Log(5)
            try await BundleTests.write(log, .part, positions: [1], to: directory)
            let manager = FileManager.default
            try "more".write(toFile: directory + "/more", atomically: true, encoding: .utf8)
            await #expect(throws: ProofError.self) { try await BundleTests.read(directory) }
            try manager.removeItem(atPath: directory + "/more")
            let checkpoint = "\(directory)/\(BundleTests.ledger)/checkpoint"
            let note = try String(contentsOfFile: checkpoint, encoding: .utf8)
            try manager.removeItem(atPath: checkpoint)
            try note.write(toFile: directory + "-note", atomically: true, encoding: .utf8)
            try manager.createSymbolicLink(atPath: checkpoint, withDestinationPath: directory + "-note")
            await #expect(throws: ProofError.self) { try await BundleTests.read(directory) }
            try manager.removeItem(atPath: checkpoint)
            let signer = try CheckpointTests.signer()
            let other = try log.checkpoint(signer, ledger: .directory(1)).note.text
            try other.write(toFile: checkpoint, atomically: true, encoding: .utf8)
            await #expect(throws: ProofError.self) { try await BundleTests.read(directory) }
            try note.write(toFile: checkpoint, atomically: true, encoding: .utf8)
            #expect(try await BundleTests.read(directory).count == 1)
        }
    }

    /// Made anew from first to last with another key: only a key known otherwise tells.
    @Test func `a bundle signed with another key is refused`() async throws {
        try await TemporaryBundle.with { directory in
            let log = try BundleTests.Log(5), forger = try CheckpointTests.signer(8)
            let writer = try BundleWriter(directory: directory, key: forger.key)
            try await writer.begin(try log.checkpoint(forger), .part, hashes: log)
            try await writer.append(log.entries[0], at: 1)
            try await writer.finish()
            let error = await #expect(throws: ProofError.self) { try await BundleTests.read(directory) }
            #expect(error?.code == .signatureInvalid)
        }
    }
}
