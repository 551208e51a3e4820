import Canonical
import ErrorCodes
import Testing

@testable import IdentityService

/// The form in which replies are kept for repeated calls.
struct StoredReplyTests {
    @Test func `a kept reply says its status once, and is read back`() throws {
        let reply = StoredReply(status: 403, headers: ["Content-Type": "application/json"], body: "{}")
        let text = #"{"body":"{}","headers":{"Content-Type":"application/json"},"status":403}"#
        #expect(try StoredReply.members.write(reply).canonicalBytes() == Array(text.utf8))
        #expect(try StoredReply(bytes: Array(text.utf8)) == reply)
        #expect(reply.isRefusal && !StoredReply(status: 204, headers: [:], body: "").isRefusal)
    }

    @Test(arguments: [
        "", "{}", "[]", "nonsense", #"{"answer":{"outcome":"success"}}"#,
        #"{"body":"{}","headers":{},"status":200,"version":1}"#, #"{"body":"{}","headers":{}}"#,
        #"{"body":"{}","headers":{},"status":99}"#, #"{"body":"{}","headers":{"A":1},"status":200}"#,
        #"{"body":"{}","headers":[],"status":200}"#, #"{"body":{},"headers":{},"status":200}"#,
    ]) func `every other form asks for a new key and is no reply`(_ text: String) {
        #expect(throws: ServiceError(.idempotencyConflict)) { try StoredReply(bytes: Array(text.utf8)) }
    }
}
