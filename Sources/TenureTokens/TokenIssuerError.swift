/// The reason why an issuer's keys cannot be had.
public struct TokenIssuerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The issuer or the audience that was configured is not usable. Correct the configuration.
        case configuration
        /// The issuer did not answer in time, or not with 200. Verification recovers by itself.
        case unreachable
        /// The issuer answered with a document that is not acceptable.
        case document
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do next, in English, for a log. It names URLs of the issuer and never a token.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
