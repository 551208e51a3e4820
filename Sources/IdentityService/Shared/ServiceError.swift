package import Canonical
package import ErrorCodes
package import TenureAPI

/// A refusal of the service, with a code that is part of the API contract.
///
/// `description` contains the code and nothing of the caller's input, so it can be shown to a stranger.
package struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    package let code: ErrorCode
    /// The members of the request that were wrong.
    package var members: [Member] = []
    /// The exact bytes to sign next, if the flow continues.
    package var challenge: [UInt8]?
    /// The whole seconds to wait before trying again.
    package var retryAfterSeconds: Int?
    /// Whether no wait helps, so that none is named.
    package var isWaitInVain = false
    /// When the call may be made, if it came too early.
    package var availableAt: Timestamp?
    package var notices: [NoticeResponse] = []
    /// What the database gave as the cause, for the log. No caller sees it.
    package var cause: String?

    /// One wrong member of a request.
    package struct Member: Sendable, Equatable {
        /// The place of the member: a JSON pointer (RFC 6901) into the body, a parameter or a header field.
        package enum Place: Sendable, Equatable {
            /// In the body.
            case pointer(String)
            /// In the path or the query.
            case parameter(String)
            case header(String)
        }

        package var place: Place
        /// The reason, without the value.
        package var detail: String

        package init(_ place: Place, detail: String) {
            self.place = place
            self.detail = detail
        }

        /// A member of the body at a JSON pointer.
        package init(pointer: String, detail: String) { self.init(.pointer(pointer), detail: detail) }
    }

    package init(
        _ code: ErrorCode, members: [Member] = [], challenge: [UInt8]? = nil, retryAfterSeconds: Int? = nil,
        isWaitInVain: Bool = false
    ) {
        self.code = code
        self.members = members
        self.isWaitInVain = isWaitInVain
        self.challenge = challenge
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The code alone.
    package var description: String { code.rawValue }
}

/// A state that this program rules out. Neither the caller nor a repetition can mend it.
///
/// It has no code of its own: a caller gets the answer to any unexpected error, and the log has the description.
struct ProgramDefect: Error, CustomStringConvertible {
    /// What is wrong, without input.
    let description: String

    init(_ description: String) { self.description = description }
}
