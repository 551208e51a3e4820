package import Canonical
import ErrorCodes

/// A reply as it is kept for a repeated call.
///
/// The header fields are those that the route set, and the request id of a refusal. Rate limits and security fields are
/// of the call that gets the reply.
package struct StoredReply: FlatObject, Equatable, Redacted {
    package var status: Int
    package var headers: [String: String]
    /// The body. Replies of calls with an `Idempotency-Key` are JSON, so it is text.
    package var body: String

    /// The members as they are kept, under the key of the reply.
    package static let members = MemberTable<StoredReply, Void>(
        "StoredReply", StoredReply.init,
        Member("status", \.status, .integer(200...599)), Member("headers", \.headers, .texts), Member("body", \.body))

    package init(status: Int, headers: [String: String], body: String) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Reads a reply as it was kept.
    ///
    /// - Throws: `idempotency.conflict` for any other form: the caller needs a new key.
    package init(bytes: [UInt8]) throws(ServiceError) {
        guard let reply = try? Self.members.read(CanonicalJSON.parse(bytes)) else {
            throw ServiceError(.idempotencyConflict)
        }
        self = reply
    }

    /// Whether the reply refuses, and so gives nothing.
    var isRefusal: Bool { status >= 400 }
}
