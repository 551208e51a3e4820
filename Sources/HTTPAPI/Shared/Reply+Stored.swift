import Canonical
import ErrorCodes
import TenureAPI

/// The form in which a reply is kept for a repeated call: canonical JSON with status, header fields and body.
///
/// Version 1 is `{"body": text, "headers": {name: value}, "status": number, "version": 1}`. The header fields are those
/// that the route set, and the request id of a refusal. Rate limits and security fields are of the call that gets the
/// reply.
extension Reply {
    /// The only version that is written and read.
    private static let storedVersion: Int64 = 1

    /// The reply as it is kept. Replies of calls with an `Idempotency-Key` are JSON, so the body is text.
    var stored: [UInt8] {
        let document: JSONValue = [
            "version": .integer(Self.storedVersion), "status": .integer(Int64(status)),
            "headers": .object(headers.mapValues { .string($0) }),
            "body": .string(String(decoding: body, as: UTF8.self)),
        ]
        return document.canonicalBytes()
    }

    /// Reads a reply as it was kept.
    ///
    /// - Throws: ``StoredReplyError`` for any other form.
    init(stored bytes: [UInt8]) throws(StoredReplyError) {
        guard let document = try? CanonicalJSON.parse(bytes), document["version"] == .integer(Self.storedVersion),
            case .integer(let status) = document["status"], (200...599).contains(status),
            case .object(let fields) = document["headers"], case .string(let body) = document["body"]
        else { throw StoredReplyError() }
        var headers: [String: String] = [:]
        for (name, value) in fields {
            guard case .string(let text) = value else { throw StoredReplyError() }
            headers[name] = text
        }
        self.init(status: Int(status), headers: headers, body: Array(body.utf8))
        isRepeated = true
        guard status >= 400, case .string(let code)? = (try? StrictJSON.parse(self.body))?["code"] else { return }
        // The label of a metric, so nothing but a code that this version knows.
        self.code = ErrorCode(rawValue: code)?.rawValue
    }
}

/// The reply of an earlier call was stored in a form that this version does not know.
struct StoredReplyError: Error, CustomStringConvertible {
    /// A stable code.
    let code = "reply.unknown_form"
    /// A description without any content of the reply.
    var description: String {
        "The stored reply of this Idempotency-Key has an unknown form. Repeat the call with a new key."
    }
}
