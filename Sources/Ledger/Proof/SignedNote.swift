import Canonical
public import Crypto
import FoundationEssentials

/// A text with signatures under it (C2SP signed-note).
public struct SignedNote: Sendable, Equatable {
    /// A signature under a note, with the name of its key.
    public struct Signature: Sendable, Equatable {
        /// The name of the key.
        public let name: String
        /// The first bytes of a hash over name and key. They distinguish keys of one name.
        public let keyID: UInt32
        /// The signature itself.
        public let bytes: [UInt8]
    }

    /// The greatest size of a note in bytes. It exceeds the 16 signatures that a reader must accept.
    public static let maximumLength = 65_536

    /// The signed text, which ends with a line feed.
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

    /// Parses a note.
    ///
    /// - Throws: ``ProofError/Code/malformed`` for anything that ``text`` cannot be.
    public init(parsing text: String) throws(ProofError) {
        let malformed = ProofError(.malformed, "the text is not a signed note")
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
        // Bytes that are not UTF-8 would be changed by the conversion.
        guard self.text.utf8.elementsEqual(bytes) else { throw malformed }
    }

    /// Whether the key signed the body. Signatures of other keys are ignored; an invalid one of this key is not.
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
    /// Parses `— name base64(id ‖ signature)`. Returns `nil` for anything else.
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

/// A public Ed25519 key that verifies notes, with its name (C2SP signed-note, signature type 1).
public struct NoteKey: Sendable, CustomStringConvertible {
    /// The name, which contains neither white space nor `+`.
    public let name: String
    /// The key.
    public let publicKey: Curve25519.Signing.PublicKey
    /// The first four bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ key), big-endian.
    public let id: UInt32

    /// The type of an Ed25519 signature.
    private static let type: UInt8 = 1

    /// A key with a name. Returns `nil` if the name is not permitted.
    public init?(name: String, publicKey: Curve25519.Signing.PublicKey) {
        guard Self.isName(name) else { return nil }
        self.name = name
        self.publicKey = publicKey
        let hash = SHA256.hash(data: Array(name.utf8) + [0x0A, Self.type] + publicKey.rawRepresentation)
        id = hash.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Parses `name+id+key`, the form in which other tools take keys. Returns `nil` for any other spelling or a wrong
    /// id.
    public init?(_ text: String) {
        let parts = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64.decode(String(parts[2])), bytes.count == 33, bytes[0] == Self.type,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes[1...]),
            let made = NoteKey(name: String(parts[0]), publicKey: key),
            made.description.utf8.elementsEqual(text.utf8)
        else { return nil }
        self = made
    }

    /// The name, the id in eight hexadecimal digits, and the type and the key in base64, joined by `+`.
    public var description: String {
        "\(name)+\(Hex.encode(SignedNote.bigEndian(id)))+\(Base64.encode([Self.type] + publicKey.rawRepresentation))"
    }

    /// Whether a text is a permitted name: not empty, without white space, `+` and control characters.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 512
            && name.unicodeScalars.allSatisfy { scalar in
                scalar != "+" && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
            }
    }
}

/// The public key that verifies the checkpoints of all ledgers of an installation.
///
/// Notes name the key by the origin of each ledger. Its text form uses the origin of the system ledger, and so contains
/// the key and the name of the installation.
public struct LogKey: Sendable, Equatable, CustomStringConvertible {
    /// The name of the installation, which origins start with.
    public let name: String
    /// The key.
    public let publicKey: Curve25519.Signing.PublicKey

    /// A key with the name of its installation. Returns `nil` if origins with that name could not be names of keys.
    public init?(name: String, publicKey: Curve25519.Signing.PublicKey) {
        guard (1...255).contains(name.utf8.count),
            NoteKey(name: Self.origin(name, .system), publicKey: publicKey) != nil
        else {
            return nil
        }
        self.name = name
        self.publicKey = publicKey
    }

    /// Parses `name+id+key` with the origin of any ledger. Returns `nil` for any other spelling.
    public init?(_ text: String) {
        guard let key = NoteKey(text), let ledger = Self.ledger(ofOrigin: key.name) else { return nil }
        self.init(name: String(key.name.dropLast(ledger.description.count + 1)), publicKey: key.publicKey)
    }

    /// The key as the checkpoints of the system ledger name it.
    public var description: String { text(for: .system) }

    /// The key as the checkpoints of `ledger` name it, in the form that other tools take.
    public func text(for ledger: LedgerID) -> String { noteKey(origin: origin(of: ledger))?.description ?? "" }

    /// The first line of a ledger's checkpoints.
    public func origin(of ledger: LedgerID) -> String { Self.origin(name, ledger) }

    func noteKey(origin: String) -> NoteKey? { NoteKey(name: origin, publicKey: publicKey) }

    /// Whether both have the same name and key.
    public static func == (left: LogKey, right: LogKey) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
            && left.publicKey.rawRepresentation == right.publicKey.rawRepresentation
    }

    private static func origin(_ name: String, _ ledger: LedgerID) -> String { "\(name)/\(ledger)" }

    /// Returns the ledger that an origin ends with, or `nil` if it names none.
    static func ledger(ofOrigin origin: String) -> LedgerID? {
        guard let slash = origin.lastIndex(of: "/"), slash != origin.startIndex else { return nil }
        return UUID(lowercased: String(origin[origin.index(after: slash)...])).map { LedgerID($0) }
    }
}

/// The spelling of numbers in signed texts: ASCII digits without sign or leading zero.
enum DecimalNumber {
    /// Parses a number. Returns `nil` for any other spelling and for numbers that cannot be a position.
    static func parse(_ text: some StringProtocol) -> Int64? {
        guard (1...19).contains(text.utf8.count), let number = Int64(text), number >= 0,
            String(number).utf8.elementsEqual(text.utf8)
        else { return nil }
        return number
    }
}
