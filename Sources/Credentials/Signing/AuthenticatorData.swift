import Crypto

/// What an authenticator says and signs (WebAuthn §6.1), read at fixed offsets. Extension bytes are kept and not read.
public struct AuthenticatorData: Sendable, Hashable {
    /// The greatest number of bytes.
    public static let maximumByteCount = 1_024

    /// The flags.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The byte of the authenticator data.
        public let rawValue: UInt8
        /// The flags of a byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Somebody touched the authenticator (UP).
        public static let userPresent = Flags(rawValue: 0x01)
        /// The authenticator verified its user (UV).
        public static let userVerified = Flags(rawValue: 0x04)
        /// The key may be copied to other devices (BE).
        public static let backupEligible = Flags(rawValue: 0x08)
        /// The key is copied (BS).
        public static let backedUp = Flags(rawValue: 0x10)
        /// A new credential follows (AT).
        public static let credential = Flags(rawValue: 0x40)
        /// Extension bytes follow (ED).
        public static let extensions = Flags(rawValue: 0x80)
    }

    /// A new credential.
    public struct Credential: Sendable, Hashable {
        /// The model of the authenticator, 16 bytes.
        public let aaguid: [UInt8]
        /// The id of the credential, 1 to 1,023 bytes.
        public let id: [UInt8]
        /// The public key.
        public let key: EmployeePublicKey
    }

    /// The exact bytes.
    public let bytes: [UInt8]
    /// The flags.
    public let flags: Flags
    /// The number of signatures that the authenticator counts, or 0.
    public let counter: UInt32
    /// The new credential, if there is one.
    public let credential: Credential?

    /// The SHA-256 of the relying party's id, 32 bytes.
    public var rpIDHash: [UInt8] { Array(bytes.prefix(32)) }

    /// Parses authenticator data.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` for another form, a key that is not one of the two accepted
    ///   ones, or a backed-up key that may not be.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count <= Self.maximumByteCount else { throw CredentialsError(.evidenceInvalid) }
        self.bytes = bytes
        var reader = ByteReader(bytes, refusal: .evidenceInvalid)
        _ = try reader.take(32)
        flags = Flags(rawValue: try reader.u8())
        counter = try reader.u32()
        var byteCount = 37
        if flags.contains(.credential) {
            let aaguid = try reader.take(16)
            let id = try reader.take(Int(try reader.u16()))
            guard (1...1_023).contains(id.count) else { throw CredentialsError(.evidenceInvalid) }
            let (key, keyByteCount) = try Self.key(Array(bytes.dropFirst(55 + id.count)))
            credential = Credential(aaguid: aaguid, id: id, key: key)
            byteCount = 55 + id.count + keyByteCount
        } else {
            credential = nil
        }
        guard flags.contains(.extensions) == (bytes.count > byteCount) else {
            throw CredentialsError(.evidenceInvalid, field: "extensions")
        }
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else {
            throw CredentialsError(.evidenceInvalid, field: "backedUp")
        }
    }

    /// Reads a COSE key (RFC 9052 §7) in one of its two fixed forms, and tells its length.
    private static func key(_ bytes: [UInt8]) throws(CredentialsError) -> (EmployeePublicKey, Int) {
        let point: [UInt8] = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
        let modulus: [UInt8] = [0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00]
        if bytes.count >= 77, bytes.starts(with: point), Array(bytes[42..<45]) == [0x22, 0x58, 0x20] {
            return (try EmployeePublicKey(bytes: [0x04] + bytes[10..<42] + bytes[45..<77]), 77)
        }
        if bytes.count >= 272, bytes.starts(with: modulus),
            Array(bytes[267..<272]) == [0x21, 0x43, 0x01, 0x00, 0x01]
        {
            return (try EmployeePublicKey(bytes: Array(bytes[11..<267])), 272)
        }
        throw CredentialsError(.keyInvalid)
    }

    func require(rpID: String) throws(CredentialsError) {
        guard rpIDHash == Array(SHA256.hash(data: Array(rpID.utf8))) else {
            throw CredentialsError(.evidenceInvalid, field: "rpId")
        }
    }

    func requireVerifiedUser() throws(CredentialsError) {
        guard flags.contains(.userPresent) else { throw CredentialsError(.evidenceInvalid, field: "userPresent") }
        guard flags.contains(.userVerified) else { throw CredentialsError(.evidenceInvalid, field: "userVerified") }
    }
}
