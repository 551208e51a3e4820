/// What changes credentials in direct mode.
public struct ChangeInput: Sendable, CustomStringConvertible {
    /// The old secret.
    public enum Current: Sendable {
        /// At least three answers to the old questions.
        case answers([AnswerInput])
        /// The old passphrase.
        case passphrase(String)
    }

    /// The old secret.
    public var current: Current
    /// The new credentials.
    public var credentials: CredentialsInput
    /// Never the secrets.
    public var description: String { "[redacted]" }

    /// Describes a change.
    public init(current: Current, credentials: CredentialsInput) {
        self.current = current
        self.credentials = credentials
    }
}
