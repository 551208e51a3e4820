/// Why a configuration cannot be served.
public struct HTTPConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable identifier of a refusal; more may be added.
    public struct Code: Sendable, Hashable {
        /// The identifier, such as `http.public_url_invalid`.
        public let rawValue: String

        /// Clear text would be served beyond loopback, and nothing allows it.
        public static let clearTextBeyondLoopback = Code(rawValue: "http.clear_text_beyond_loopback")
        /// The public address is no `http` or `https` origin.
        public static let publicURLInvalid = Code(rawValue: "http.public_url_invalid")
        /// The certificate or its key cannot be read.
        public static let certificateUnreadable = Code(rawValue: "http.certificate_unreadable")
        /// A bound is not positive.
        public static let limitInvalid = Code(rawValue: "http.limit_invalid")
    }

    /// What is wrong.
    public let code: Code

    /// The code alone.
    public var description: String { code.rawValue }
}
