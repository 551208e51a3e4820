public import Canonical

/// A problem document (RFC 9457, `application/problem+json`): how every refusal looks.
public struct Problem: Sendable, Equatable, JSONConvertible {
    /// The media type.
    public static let mediaType = "application/problem+json"

    /// A URI reference that explains the code.
    public var type: String
    /// A short summary of the code.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// What the caller can do.
    public var detail: String
    /// A URI that names this occurrence.
    public var instance: String
    /// The stable code, for example `answers.incorrect`.
    public var code: String
    /// The id of the request.
    public var requestId: String
    /// What was wrong in particular.
    public var errors: [ProblemPlace]
    /// The exact bytes to sign next, where the flow goes on.
    public var challenge: [UInt8]?

    /// Describes the refusal of one request; `documentation` is the address of the page that explains codes.
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

    /// Reads a problem document; members it does not know are ignored, as RFC 9457 §3.2 asks.
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
    }

    /// The document.
    public var json: JSONValue {
        .objectOmittingNil([
            "type": .string(type), "title": .string(title), "status": .integer(Int64(status)),
            "detail": .string(detail), "instance": .string(instance), "code": .string(code),
            "requestId": .string(requestId), "errors": errors.isEmpty ? nil : errors.json,
            "challenge": challenge.map(JSONValue.base64),
        ])
    }
}
