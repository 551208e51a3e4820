import Canonical
import Crypto
import Foundation
import Ledger
import Postgres
import Testing

@Suite struct CheckpointTests {
    static func signer(_ byte: UInt8 = 7, name: String = "tenure.example") throws -> CheckpointSigner {
        let seed = [UInt8](repeating: byte, count: 32)
        return try CheckpointSigner(name: name, secret: try Curve25519.Signing.PrivateKey(rawRepresentation: seed))
    }

    static let ledger = LedgerID.directory(9)
    static let root = MerkleTree.root(leaves: [MerkleTree.leafHash([1, 2, 3])])

    /// The published example key of the signed-note format: its name and key give its id.
    @Test func `a key's id follows the published computation`() throws {
        let key = try #require(NoteKey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"))
        #expect(key.id == 0xc74f_20a3)
        #expect(NoteKey("PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW") == nil)
        #expect(NoteKey("PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW") == nil)
        let text = """
            If you think cryptography is the answer to your problem,
            then you don't know what your problem is.

            — PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=

            """
        #expect(try SignedNote(parsing: text).isSigned(by: key))
        #expect(try !SignedNote(parsing: text.replacingOccurrences(of: "answer", with: "Answer")).isSigned(by: key))
    }

    @Test func `a checkpoint is a note of origin, size and root`() throws {
        let signer = try Self.signer()
        let signed = try signer.sign(Self.ledger, size: 12, root: Self.root)
        #expect(
            signed.note.body
                == "tenure.example/00000000-0000-8000-8000-000000000109\n12\n\(Base64.encode(Self.root))\n")
        let read = try SignedCheckpoint(parsing: signed.note.text)
        #expect(read == signed && read.ledger == Self.ledger)
        try read.verify(signer.key)
        #expect(throws: ProofError.self) { try read.verify(try Self.signer(8).key) }
        // The key is what counts: an installation may get another name.
        try read.verify(try Self.signer(name: "other.example").key)
    }

    @Test func `a log key round-trips`() throws {
        let key = try Self.signer().key
        #expect(LogKey(key.description) == key)
        #expect(LogKey(key.text(for: Self.ledger)) == key)
        #expect(LogKey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW") == nil)
        for name in ["a b", "a+b", "", "a\n", "a\u{2003}b"] {
            #expect(throws: ProofError.self) { try Self.signer(name: name) }
        }
    }

    @Test func `any changed bit of a note is noticed`() throws {
        let signer = try Self.signer()
        let bytes = Array(try signer.sign(Self.ledger, size: 12, root: Self.root).note.text.utf8)
        var tried = 0
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                guard let text = String(bytes: changed, encoding: .utf8) else { continue }
                tried += 1
                #expect(throws: ProofError.self, "\(place) \(bit)") {
                    try SignedCheckpoint(parsing: text).verify(signer.key)
                }
            }
        }
        #expect(tried > bytes.count * 6, "nearly all changes of seven bits leave a text")
    }

    @Test func `a witness may co-sign, and a wrong signature of the log's key invalidates the note`() throws {
        let signer = try Self.signer()
        let text = try signer.sign(Self.ledger, size: 12, root: Self.root).note.text
        let witness = "— witness.example " + Base64.encode([1, 2, 3, 4] + [UInt8](repeating: 5, count: 72)) + "\n"
        try SignedCheckpoint(parsing: text + witness).verify(signer.key)
        let other = try signer.sign(Self.ledger, size: 13, root: Self.root).note.text.split(separator: "\n").last
        let wrong = try #require(other) + "\n"
        #expect(throws: ProofError.self) { try SignedCheckpoint(parsing: text + wrong).verify(signer.key) }
    }

    @Test(arguments: [
        "o\n1\nAAAA\n", "o\n01\n\(Base64.encode(root))\n", "o\n-1\n\(Base64.encode(root))\n",
        "\n1\n\(Base64.encode(root))\n",
        "o\n1\n\(Base64.encode(root))\nmore\n", "o\n1\n\(Base64.encode(root))", "o o\n1\n\(Base64.encode(root))\n",
        "o\n99999999999999999999\n\(Base64.encode(root))\n",
    ])
    func `a malformed checkpoint is refused`(text: String) {
        #expect(throws: ProofError.self) { try Checkpoint(parsing: text) }
    }

    @Test func `an anchor contains its key, and a bare note needs it`() throws {
        let signer = try Self.signer()
        let anchor = try Anchor(key: signer.key, checkpoint: try signer.sign(.system, size: 3, root: Self.root))
        #expect(try Anchor(parsing: anchor.text) == anchor)
        #expect(try Anchor(parsing: anchor.checkpoint.note.text, key: signer.key) == anchor)
        #expect(throws: ProofError.self) { try Anchor(parsing: anchor.checkpoint.note.text) }
        #expect(throws: ProofError.self) { try Anchor(parsing: anchor.text, key: try Self.signer(8).key) }
        #expect(throws: ProofError.self) {
            try Anchor(key: signer.key, checkpoint: try signer.sign(Self.ledger, size: 3, root: Self.root))
        }
    }

    @Test func `an anchor may name the server, which nobody signs`() throws {
        let signer = try Self.signer()
        let plain = try Anchor(key: signer.key, checkpoint: try signer.sign(.system, size: 3, root: Self.root))
        let anchor = plain.on(ServerIdentity(system: 7, timeline: 2))
        #expect(anchor.text.split(separator: "\n", omittingEmptySubsequences: false)[1] == "server 7/2")
        #expect(try Anchor(parsing: anchor.text) == anchor)
        #expect(try Anchor(parsing: anchor.text, key: signer.key) == anchor)
        #expect(anchor.on(nil) == plain)
        for line in ["server 7", "server 7/2 ", "server 7/2\nserver 7/3", "serves 7/2", "7/2", ""] {
            let text = "\(signer.key)\n\(line)\n\n\(plain.checkpoint.note.text)"
            #expect(throws: ProofError.self, "\(line)") { try Anchor(parsing: text) }
        }
    }
}
