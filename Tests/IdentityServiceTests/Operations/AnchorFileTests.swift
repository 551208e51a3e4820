import Crypto
import Foundation
import IdentityService
import Ledger
import Postgres
import Testing

struct AnchorFileTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("anchor-\(UUID().uuidString)").path

    private func anchor() throws -> Anchor {
        let signer = try CheckpointSigner(name: "log.example", secret: Curve25519.Signing.PrivateKey())
        let root = [UInt8](repeating: 1, count: 32)
        return try Anchor(key: signer.key, checkpoint: try signer.sign(.system, size: 3, root: root))
    }

    @Test func `an anchor is read back, with and without a server`() throws {
        let file = AnchorFile(path: path), anchor = try anchor()
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try file.read() == nil)
        for written in [anchor, anchor.on(ServerIdentity(system: 7, timeline: 2))] {
            try file.write(written)
            #expect(try file.read() == written)
        }
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try file.read() == nil)
    }

    @Test func `a file that holds no anchor is named`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("something\n".utf8).write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: AnchorFileError.self) { try AnchorFile(path: path).read() }
        #expect(error.description.contains(path) && error.description.contains("anchor"))
    }

    @Test func `a directory in its place is named`() throws {
        let directory = FileManager.default.temporaryDirectory.path
        let error = try #require(throws: AnchorFileError.self) { try AnchorFile(path: directory).read() }
        #expect(error.description.contains("cannot be read"))
    }
}
