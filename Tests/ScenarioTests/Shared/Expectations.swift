import Canonical
import ErrorCodes
import Testing

/// Expects a refusal with this code, in every respect that the contract promises of refusals.
func expectProblem(
    _ reply: HTTPReply, _ code: String, goesOn: Bool? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let document = try #require(try? reply.json, "no document: \(reply)", sourceLocation: sourceLocation)
    #expect(reply.code == code, sourceLocation: sourceLocation)
    #expect(reply.status == ErrorCode(rawValue: code)?.status, "\(reply)", sourceLocation: sourceLocation)
    #expect(document["status"]?.number == Int64(reply.status), sourceLocation: sourceLocation)
    #expect(reply.headers["content-type"] == "application/problem+json", sourceLocation: sourceLocation)
    for name in ["type", "title", "detail", "instance", "code", "requestId"] {
        #expect(document[name]?.text?.isEmpty == false, "\(name) of \(reply)", sourceLocation: sourceLocation)
    }
    let known: Set = [
        "type", "title", "status", "detail", "instance", "code", "requestId", "errors", "challenge",
        "availableAt", "notices", "error", "error_description",
    ]
    #expect(known.isSuperset(of: document.members.keys), "\(document.members.keys)", sourceLocation: sourceLocation)
    #expect(document["requestId"]?.text == reply.headers["x-request-id"], sourceLocation: sourceLocation)
    #expect(reply.headers["cache-control"] == "no-store", sourceLocation: sourceLocation)
    #expect(reply.headers["x-content-type-options"] == "nosniff", sourceLocation: sourceLocation)
    for error in document["errors"]?.items ?? [] {
        #expect(error["detail"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
    }
    if reply.status == 429 || reply.status == 503 {
        let seconds = reply.headers["retry-after"].flatMap(Int.init)
        #expect((seconds ?? 0) >= 1, "Retry-After of \(reply)", sourceLocation: sourceLocation)
    }
    if reply.status == 401 {
        #expect(reply.headers["www-authenticate"]?.isEmpty == false, sourceLocation: sourceLocation)
    }
    switch goesOn {
    case true?:
        let challenge = Base64.decode(reply.challenge ?? "")
        #expect(
            challenge.map { String(decoding: $0, as: UTF8.self).hasPrefix("tenure/v1/challenge\n") } == true,
            "a challenge in \(reply)", sourceLocation: sourceLocation)
    case false?: #expect(document["challenge"] == nil, sourceLocation: sourceLocation)
    case nil: break
    }
}

/// Expects an outcome with status 200.
func expectOutcome(
    _ reply: HTTPReply, _ outcome: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == 200 && reply.outcome == outcome, "\(reply)", sourceLocation: sourceLocation)
}

/// The bytes of a base64 member; a test without them cannot go on.
func bytes(base64 text: String?, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    let text = try #require(text, sourceLocation: sourceLocation)
    return try #require(Base64.decode(text), sourceLocation: sourceLocation)
}

/// The bytes of an unpadded base64url member.
func bytes(base64url text: String?, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    let text = try #require(text, sourceLocation: sourceLocation)
    return try #require(Base64URL.decode(text), sourceLocation: sourceLocation)
}

extension String {
    /// Whether the text is a UUID of version 8 and of the variant that RFC 9562 defines.
    var isUUIDOfVersion8: Bool {
        wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
    }
}
