public import Canonical
package import ErrorCodes

/// A problem document (RFC 9457, `application/problem+json`), the body of every error response.
public struct Problem: Sendable, Equatable, ResponseObject {
    /// The media type.
    public static let mediaType = "application/problem+json"

    /// A URI reference that explains the code.
    public var type: String
    /// A short summary of the code.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// The advice on what the caller can do.
    public var detail: String
    /// A URI that names this occurrence.
    public var instance: String
    /// The stable code, for example `answers.incorrect`.
    public var code: String
    /// The id of the request.
    public var requestId: String
    /// The individual faults in the request.
    public var errors: [ProblemPlace]
    /// The exact bytes to sign next, if the flow continues.
    public var challenge: [UInt8]?
    /// The earliest time for the call, if it came too early.
    public var availableAt: Timestamp?
    /// Notices for the owner of the account.
    public var notices: [NoticeResponse] = []
    /// The members of RFC 6749, on refusals of the OAuth endpoints only.
    public var oauth: OAuthRefusal?

    /// The members on the wire.
    public static let members = WireMembers<Problem>(
        "Problem", Problem.init, Member("type", \.type), Member("title", \.title),
        Member("status", \.status, .number(100...599)), Member("detail", \.detail), Member("instance", \.instance),
        Member("code", \.code), Member("requestId", \.requestId),
        Member(optional: "errors", \.errors, .list(), absent: []),
        Member(optional: "challenge", \.challenge, .base64), Member(optional: "availableAt", \.availableAt),
        Member(optional: "notices", \.notices, .list(), absent: []), .oauth(\.oauth))
}

extension Problem {
    /// Describes the refusal of one request. `documentation` is the address of the page that explains the codes.
    package init(
        _ code: ErrorCode, requestId: String, errors: [ProblemPlace] = [], challenge: [UInt8]? = nil,
        documentation: String = "/docs"
    ) {
        type = documentation + "#" + code.rawValue
        title = code.title
        status = code.status
        detail = code.advice
        instance = "urn:tenure:request:" + requestId
        self.code = code.rawValue
        self.requestId = requestId
        self.errors = errors
        self.challenge = challenge
    }

    /// The code, or `nil` if it is one of a newer service.
    package var knownCode: ErrorCode? { ErrorCode(rawValue: code) }
}

extension Member<Problem, Void, OAuthRefusal?> {
    /// The members of RFC 6749, or neither.
    fileprivate static func oauth(_ get: @escaping @Sendable (Object) -> Value) -> Member {
        let members = ["error", "error_description"].map {
            MemberDescription(optional: $0, .string(format: "text"))
        }
        return Member(together: members, get) { (reader) throws(JSONError) in
            guard let error = try reader.optionalString("error") else { return nil }
            return OAuthRefusal(error: error, description: try reader.optionalString("error_description") ?? "")
        } write: { refusal in
            guard let refusal else { return [:] }
            return ["error": .string(refusal.error), "error_description": .string(refusal.description)]
        }
    }
}

/// A fault in a request, and its place.
public struct ProblemPlace: Sendable, Equatable, ResponseObject {
    /// The place of a fault.
    public enum Place: Sendable, Equatable {
        /// In the body, at this JSON pointer (RFC 6901).
        case pointer(String)
        /// In the path, the query or the form, at the parameter of this name.
        case parameter(String)
        /// In the header field of this name.
        case header(String)
        /// No particular place.
        case none
    }

    /// The place of the fault.
    public var place: Place
    /// A description of the fault, without the faulty value.
    public var detail: String

    package init(_ place: Place, _ detail: String) {
        self.place = place
        self.detail = detail
    }

    /// The members on the wire.
    public static let members = WireMembers<ProblemPlace>(
        "ProblemPlace", ProblemPlace.init, .place(\.place), Member("detail", \.detail))
}

extension Member<ProblemPlace, Void, ProblemPlace.Place> {
    /// At most one of the three kinds of place.
    fileprivate static func place(_ get: @escaping @Sendable (Object) -> Value) -> Member {
        let members = ["pointer", "parameter", "header"].map {
            MemberDescription(optional: $0, .string(format: "text"))
        }
        return Member(together: members, get) { (reader) throws(JSONError) in
            if let text = try reader.optionalString("pointer") { return .pointer(text) }
            if let name = try reader.optionalString("parameter") { return .parameter(name) }
            return try reader.optionalString("header").map(Value.header) ?? Value.none
        } write: { place in
            switch place {
            case .pointer(let text): ["pointer": .string(text)]
            case .parameter(let name): ["parameter": .string(name)]
            case .header(let name): ["header": .string(name)]
            case .none: [:]
            }
        }
    }
}

/// The names of the header fields that this API defines.
public enum HeaderName {
    /// The id of a request, in requests and responses: `[A-Za-z0-9._-]{1,64}`.
    public static let requestId = "X-Request-Id"
    /// The idempotency key, which makes a change safe to repeat: 1 to 255 visible ASCII characters.
    public static let idempotencyKey = "Idempotency-Key"
    /// The position in the tenant's ledger at which the call appended.
    public static let position = "Tenure-Position"
    /// The position that the read model must have reached before the service answers.
    public static let waitFor = "Tenure-Wait-For"
}
