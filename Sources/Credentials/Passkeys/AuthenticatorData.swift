import Crypto

/// What an authenticator says and signs (Web Authentication, "authenticator data"), read at fixed offsets without a
/// CBOR decoder. Extension bytes are kept and not read.
public struct AuthenticatorData: Sendable, Hashable {
    /// The flags of an authenticator, one byte.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The byte.
        public let rawValue: UInt8
        /// UP: somebody touched the authenticator.
        public static let userPresent = Flags(rawValue: 0x01)
        /// UV: the authenticator verified who touched it.
        public static let userVerified = Flags(rawValue: 0x04)
        /// BE: the key may be copied to other machines.
        public static let backupEligible = Flags(rawValue: 0x08)
        /// BS: the key has been copied.
        public static let backedUp = Flags(rawValue: 0x10)
        /// AT: a new key follows.
        public static let attested = Flags(rawValue: 0x40)
        /// ED: extension bytes follow.
        public static let extended = Flags(rawValue: 0x80)

        /// The flags of a byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    /// The part that only a creation has.
    public struct NewKey: Sendable, Hashable {
        /// The model of the authenticator, 16 bytes; zeros if it does not say.
        public let aaguid: [UInt8]
        /// The id of the credential, 1 to 1,023 bytes.
        public let credentialID: [UInt8]
        /// The new public key.
        public let key: EmployeePublicKey
    }

    /// The greatest size in bytes.
    public static let maximumByteCount = 1_024

    /// The exact bytes.
    public let bytes: [UInt8]
    /// The SHA-256 of the `rpId`, 32 bytes.
    public let rpIDHash: [UInt8]
    /// The flags.
    public let flags: Flags
    /// The number of assertions that the authenticator counts, or 0 if it counts none.
    public let counter: UInt32
    /// The new key, in a creation.
    public let newKey: NewKey?

    /// Reads the data of an assertion, which names no key.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid``.
    public init(assertion bytes: [UInt8]) throws(CredentialsError) {
        try self.init(bytes) { (_) throws(CredentialsError) -> NewKey? in nil }
        guard !flags.contains(.attested) else { throw CredentialsError(.evidenceInvalid, field: "flags") }
    }

    /// Reads the data of a creation.
    ///
    /// - Parameter algorithm: The algorithm that the browser named. It decides which of the two forms of a key is read.
    /// - Throws: ``CredentialsError/Code/evidenceInvalid``, or ``CredentialsError/Code/keyInvalid`` for the key itself.
    public init(creation bytes: [UInt8], _ algorithm: KeyAlgorithm) throws(CredentialsError) {
        try self.init(bytes) { (reader) throws(CredentialsError) -> NewKey? in
            let aaguid = try reader.take(16)
            let credentialID = try reader.take(Int(try reader.u16()))
            guard (1...1_023).contains(credentialID.count) else {
                throw CredentialsError(.evidenceInvalid, field: "credentialId")
            }
            let key = try reader.coseKey(algorithm)
            return NewKey(aaguid: aaguid, credentialID: credentialID, key: key)
        }
        guard flags.contains(.attested) else { throw CredentialsError(.evidenceInvalid, field: "flags") }
    }

    private init(
        _ bytes: [UInt8], newKey: (inout ByteReader) throws(CredentialsError) -> NewKey?
    ) throws(CredentialsError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw CredentialsError(.evidenceInvalid, field: "authenticatorData")
        }
        var reader = ByteReader(bytes, refusal: .evidenceInvalid)
        rpIDHash = try reader.take(32)
        flags = Flags(rawValue: try reader.u8())
        counter = try reader.u32()
        self.newKey = flags.contains(.attested) ? try newKey(&reader) : nil
        self.bytes = bytes
        if flags.contains(.extended) { _ = try reader.take(1) } else { try reader.finish() }
    }

    /// Whether the authenticator verified a person, and says nothing of copies that contradicts itself.
    func requireVerifiedUser() throws(CredentialsError) {
        guard flags.isSuperset(of: [.userPresent, .userVerified]),
            flags.contains(.backupEligible) || !flags.contains(.backedUp)
        else { throw CredentialsError(.evidenceInvalid, field: "flags") }
    }
}

extension ByteReader {
    /// Reads a COSE key in the one form that an authenticator writes (CTAP 2 canonical CBOR) for each algorithm: 77 bytes
    /// for P-256, 272 for RSA of 2,048 bits with exponent 65537.
    fileprivate mutating func coseKey(_ algorithm: KeyAlgorithm) throws(CredentialsError) -> EmployeePublicKey {
        switch algorithm {
        case .es256:
            try expect([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20])
            let x = try take(32)
            try expect([0x22, 0x58, 0x20])
            return try EmployeePublicKey(bytes: [0x04] + x + (try take(32)))
        case .rs256:
            try expect([0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00])
            let modulus = try take(256)
            try expect([0x21, 0x43, 0x01, 0x00, 0x01])
            return try EmployeePublicKey(bytes: modulus)
        }
    }

    private mutating func expect(_ bytes: [UInt8]) throws(CredentialsError) {
        guard try take(bytes.count) == bytes else { throw CredentialsError(.keyInvalid) }
    }
}
