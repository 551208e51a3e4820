/// The reason why a D-TA cannot be created or started.
public struct MPinAuthorityError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public let code: Code
    /// The reason in one sentence, without a secret.
    public let reason: String
    /// What the operator can do. It may name a path.
    public let remedy: String?

    init(_ code: Code, _ reason: String, remedy: String? = nil) {
        self.code = code
        self.reason = reason
        self.remedy = remedy
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}

extension MPinAuthorityError {
    /// The stable identifier of a failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `mpin_authority.exposed`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The identifier.
        public var description: String { rawValue }

        /// The directory already holds a D-TA, which is never overwritten.
        public static let exists = Code("mpin_authority.exists")
        /// A file is not there.
        public static let missing = Code("mpin_authority.missing")
        /// Users other than the owner can access a file or the directory.
        public static let exposed = Code("mpin_authority.exposed")
        /// The system refused to read or write a file.
        public static let unusable = Code("mpin_authority.unusable")
        /// A file does not have the documented form.
        public static let malformed = Code("mpin_authority.malformed")
        /// The authority file has a version that this program does not know.
        public static let versionUnknown = Code("mpin_authority.version_unknown")
        /// The key file does not open the authority file.
        public static let keyForeign = Code("mpin_authority.key_foreign")
        /// Another process serves the directory.
        public static let busy = Code("mpin_authority.busy")
        /// The server would serve clear text beyond loopback without permission.
        public static let clearTextBeyondLoopback = Code("mpin_authority.clear_text_beyond_loopback")
    }
}
