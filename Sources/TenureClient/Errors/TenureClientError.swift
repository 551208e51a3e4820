public import TenureAPI

/// Why a call failed.
public struct TenureClientError: Error, Sendable, CustomStringConvertible {
    /// A stable identifier: a code of the service such as `answers.incorrect`, or one of this client's own.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier.
        public let rawValue: String

        /// Makes a code, for example to compare with one of the service's.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The identifier.
        public var description: String { rawValue }

        /// The service could not be reached, or the connection was lost more often than is retried.
        public static let connectionLost = Code(rawValue: "client.connection_lost")
        /// What came back is nothing that this API answers.
        public static let responseInvalid = Code(rawValue: "client.response_invalid")
        /// What the service sent did not lead to a signature, and nothing was signed: it is not what this client asked
        /// for, or no copy of the user key opened with the answers or the passphrase that were given.
        public static let signingRefused = Code(rawValue: "client.signing_refused")
        /// The address of the service, or a name in a path, cannot be written as a URL.
        public static let addressInvalid = Code(rawValue: "client.address_invalid")
        /// The file of a pin cannot be read or written, or holds no pin.
        public static let pinInvalid = Code(rawValue: "client.pin_invalid")
        /// The file of a device key cannot be read, is not its owner's alone, or holds no key.
        public static let keyFileInvalid = Code(rawValue: "client.key_file_invalid")
    }

    /// What went wrong.
    public let code: Code
    /// The service's problem document, when it sent one.
    public let problem: Problem?
    /// How long to wait before the next try, when the service said so (`Retry-After`).
    public let retryAfter: Duration?

    /// Makes an error of this client's own.
    public init(_ code: Code) {
        self.code = code
        problem = nil
        retryAfter = nil
    }

    /// Makes the error that a problem document tells.
    public init(_ problem: Problem, retryAfter: Duration? = nil) {
        code = Code(rawValue: problem.code)
        self.problem = problem
        self.retryAfter = retryAfter
    }

    /// The code, and the id of the request where there is one.
    public var description: String { problem.map { "\(code) (request \($0.requestId))" } ?? code.rawValue }
}
