/// What a person or a tenant decided at set-up; one byte in the record.
public struct CredentialFlags: OptionSet, Sendable, Hashable {
    /// Bit 0 and bit 1; every other bit is refused when a record is read.
    public let rawValue: UInt8

    /// Takes the bits as they are.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The credential may be used in blind mode only.
    public static let blindOnly = CredentialFlags(rawValue: 1)
    /// A person with a passphrase may answer the questions instead.
    public static let questionsWithPassphrase = CredentialFlags(rawValue: 2)

    static let known: CredentialFlags = [.blindOnly, .questionsWithPassphrase]
}
