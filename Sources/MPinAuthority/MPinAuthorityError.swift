/// The reason why a D-TA cannot be created or started.
package struct MPinAuthorityError: Error, Sendable, Equatable, CustomStringConvertible {
    package let code: Code
    /// The reason in one sentence, without a secret.
    package let reason: String
    /// What the operator can do. It may name a path.
    package let remedy: String?

    init(_ code: Code, _ reason: String, remedy: String? = nil) {
        self.code = code
        self.reason = reason
        self.remedy = remedy
    }

    package var description: String { "\(code): \(reason)" }
}

extension MPinAuthorityError {
    /// The stable identifier of a failure. More may be added.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `mpin_authority.exposed`.
        package let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        package var description: String { rawValue }

        /// The directory already holds a D-TA, which is never overwritten.
        package static let exists = Code("mpin_authority.exists")
        /// A file is not there.
        package static let missing = Code("mpin_authority.missing")
        /// Users other than the owner can access a file or the directory.
        package static let exposed = Code("mpin_authority.exposed")
        /// The system refused to read or write a file.
        package static let unusable = Code("mpin_authority.unusable")
        /// A file does not have the documented form.
        package static let malformed = Code("mpin_authority.malformed")
        /// The authority file has a version that this program does not know.
        package static let versionUnknown = Code("mpin_authority.version_unknown")
        /// The key file does not open the authority file.
        package static let keyForeign = Code("mpin_authority.key_foreign")
        /// Another process serves the directory.
        package static let busy = Code("mpin_authority.busy")
        /// The server would serve clear text beyond loopback without permission.
        package static let clearTextBeyondLoopback = Code("mpin_authority.clear_text_beyond_loopback")
    }
}
