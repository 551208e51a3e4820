/// A refusal of the service, with a code that is part of the contract.
///
/// `description` holds the code and nothing of the caller's input, so it can be shown to a stranger.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One of the stable codes of the API.
    public struct Code: Sendable, Hashable {
        /// The code as it appears on the wire, for example `answers.incorrect`.
        public let rawValue: String
        /// The HTTP status that belongs to the code.
        public let status: Int
    }

    /// What was refused.
    public let code: Code
    /// The members of the request that were wrong.
    public var members: [Member] = []
    /// The exact bytes to sign next, where the flow goes on.
    public var challenge: [UInt8]?
    /// How long to wait before trying again, in whole seconds.
    public var retryAfterSeconds: Int?

    /// One wrong member of a request.
    public struct Member: Sendable, Equatable {
        /// The place as a JSON pointer (RFC 6901).
        public var pointer: String
        /// What is wrong, without the value.
        public var detail: String

        /// Names one wrong member.
        public init(pointer: String, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }

    /// Makes a refusal.
    public init(
        _ code: Code, members: [Member] = [], challenge: [UInt8]? = nil, retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.members = members
        self.challenge = challenge
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The code alone.
    public var description: String { code.rawValue }
}
