/// Why a proof, a checkpoint or a bundle was refused; `description` is safe to show a stranger.
public struct ProofError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable identifier of a refusal; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `proof.signature_invalid`.
        public let rawValue: String
        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The identifier.
        public var description: String { rawValue }

        /// A text is not of the one form it can have.
        public static let malformed = Code(rawValue: "proof.malformed")
        /// A key signed nothing here, or its signature is not over this text.
        public static let signatureInvalid = Code(rawValue: "proof.signature_invalid")
        /// Hashes do not lead to the root they should lead to.
        public static let rootMismatch = Code(rawValue: "proof.root_mismatch")
        /// A tree is smaller than what was asked of it.
        public static let beyondSize = Code(rawValue: "proof.beyond_size")
        /// Hashes that a tree of that size has are not there.
        public static let hashesMissing = Code(rawValue: "proof.hashes_missing")
        /// A bundle breaks a rule of its format.
        public static let bundleInvalid = Code(rawValue: "proof.bundle_invalid")
        /// A file or directory could not be read or written.
        public static let fileFailed = Code(rawValue: "proof.file_failed")
    }

    /// The kind of refusal.
    public let code: Code
    /// One clause for a person, without content.
    public let reason: String
    /// The position it is about, where it is about one.
    public let position: Int64?

    /// Makes a refusal.
    public init(_ code: Code, _ reason: String, position: Int64? = nil) {
        self.code = code
        self.reason = reason
        self.position = position
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
