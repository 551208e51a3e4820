import Canonical
public import Crypto

/// A public Ed25519 key that signs notes, by its name (C2SP signed-note, signature type 1).
public struct NoteKey: Sendable, CustomStringConvertible {
    /// The name: neither space nor `+` in it.
    public let name: String
    /// The key.
    public let publicKey: Curve25519.Signing.PublicKey
    /// The first four bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ key), big-endian.
    public let id: UInt32

    /// The type of an Ed25519 signature.
    private static let type: UInt8 = 1

    /// Names a key; nil for what cannot be a name.
    public init?(name: String, publicKey: Curve25519.Signing.PublicKey) {
        guard Self.isName(name) else { return nil }
        self.name = name
        self.publicKey = publicKey
        let hash = SHA256.hash(data: Array(name.utf8) + [0x0A, Self.type] + publicKey.rawRepresentation)
        id = hash.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Reads `name+id+key`, the form in which other tools take keys; nil for any other spelling or a wrong id.
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

    /// Whether a text can be a name: something, without white space, `+` and control characters.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 512
            && name.unicodeScalars.allSatisfy { scalar in
                scalar != "+" && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
            }
    }
}
