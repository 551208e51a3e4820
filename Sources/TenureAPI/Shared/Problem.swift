public import Canonical
public import ErrorCodes

/// A problem document (RFC 9457, `application/problem+json`), the body of every error response.
public struct Problem: Sendable, Equatable, JSONConvertible {
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

    /// Describes the refusal of one request. `documentation` is the address of the page that explains the codes.
    public init(
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

    /// Reads a problem document and ignores unknown members, as RFC 9457 §3.2 requires.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        type = try reader.string("type")
        title = try reader.string("title")
        status = Int(try reader.integer("status", in: 100...599))
        detail = try reader.string("detail")
        instance = try reader.string("instance")
        code = try reader.string("code")
        requestId = try reader.string("requestId")
        errors = try reader.optionalWire("errors") ?? []
        challenge = try reader.optionalBase64("challenge")
        availableAt = try reader.optionalTimestamp("availableAt")
        notices = try reader.optionalWire("notices") ?? []
        if let error = try reader.optionalString("error") {
            oauth = OAuthRefusal(error: error, description: try reader.optionalString("error_description") ?? "")
        }
    }

    /// The document as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "type": .string(type), "title": .string(title), "status": .integer(Int64(status)),
            "detail": .string(detail), "instance": .string(instance), "code": .string(code),
            "requestId": .string(requestId), "errors": errors.isEmpty ? nil : errors.json,
            "challenge": challenge.map(JSONValue.base64), "availableAt": availableAt.map(JSONValue.timestamp),
            "notices": notices.isEmpty ? nil : notices.json, "error": oauth.map { .string($0.error) },
            "error_description": oauth.map { .string($0.description) },
        ])
    }
}

/// A fault in a request, and its place.
public struct ProblemPlace: Sendable, Equatable, JSONConvertible {
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

    /// Describes a fault at a place.
    public init(_ place: Place, _ detail: String) {
        self.place = place
        self.detail = detail
    }

    /// Reads a place and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        detail = try reader.string("detail")
        if let text = try reader.optionalString("pointer") {
            place = .pointer(text)
        } else if let name = try reader.optionalString("parameter") {
            place = .parameter(name)
        } else if let name = try reader.optionalString("header") {
            place = .header(name)
        } else {
            place = .none
        }
    }

    /// The place and the detail.
    public var json: JSONValue {
        switch place {
        case .pointer(let text): ["pointer": .string(text), "detail": .string(detail)]
        case .parameter(let name): ["parameter": .string(name), "detail": .string(detail)]
        case .header(let name): ["header": .string(name), "detail": .string(detail)]
        case .none: ["detail": .string(detail)]
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
