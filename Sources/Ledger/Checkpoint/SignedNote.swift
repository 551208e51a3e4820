import Canonical
import Crypto

/// A text with signatures under it (C2SP signed-note).
public struct SignedNote: Sendable, Equatable {
    /// One signature.
    public struct Signature: Sendable, Equatable {
        /// The name of the key.
        public let name: String
        /// The first bytes of a hash of name and key, to tell keys of one name apart.
        public let keyID: UInt32
        /// What the key made of the text.
        public let bytes: [UInt8]
    }

    /// The greatest size of a note in bytes: plenty for the 16 signatures that a reader must accept.
    public static let maximumLength = 65_536

    /// What is signed; ends with a line feed.
    public let body: String
    /// The signatures in order.
    public let signatures: [Signature]

    init(body: String, signatures: [Signature]) {
        self.body = body
        self.signatures = signatures
    }

    /// The whole note: body, an empty line, and a line for each signature.
    public var text: String {
        body + "\n"
            + signatures.map { signature in
                "— \(signature.name) \(Base64.encode(Self.bigEndian(signature.keyID) + signature.bytes))\n"
            }.joined()
    }

    /// Reads a note.
    ///
    /// - Throws: ``ProofError/Code/malformed`` for anything that ``text`` cannot be.
    public init(parsing text: String) throws(ProofError) {
        let malformed = ProofError(.malformed, "a text is not a signed note")
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength, bytes.last == 0x0A,
            bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x0A }),
            let split = bytes.indices.dropLast().last(where: { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A })
        else { throw malformed }
        body = String(decoding: bytes[...split], as: UTF8.self)
        var signatures: [Signature] = []
        for line in bytes[(split + 2)...].dropLast().split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard let signature = Signature(line: String(decoding: line, as: UTF8.self)) else { throw malformed }
            signatures.append(signature)
        }
        guard (1...64).contains(signatures.count) else { throw malformed }
        self.signatures = signatures
        // Whatever is not UTF-8 would come back as something else.
        guard self.text.utf8.elementsEqual(bytes) else { throw malformed }
    }

    /// Whether the key signed the body. Signatures of other keys do not matter; a wrong one of this key does.
    public func isSigned(by key: NoteKey) -> Bool {
        let own = signatures.filter { $0.keyID == key.id && $0.name.utf8.elementsEqual(key.name.utf8) }
        return !own.isEmpty
            && own.allSatisfy { key.publicKey.isValidSignature($0.bytes, for: Array(body.utf8)) }
    }

    static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension SignedNote.Signature {
    /// Reads `— name base64(id ‖ signature)`; nil for anything else.
    fileprivate init?(line: String) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "—", NoteKey.isName(String(parts[1])),
            let bytes = Base64.decode(String(parts[2])), bytes.count > 4
        else { return nil }
        name = String(parts[1])
        keyID = bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }
        self.bytes = Array(bytes[4...])
    }
}
