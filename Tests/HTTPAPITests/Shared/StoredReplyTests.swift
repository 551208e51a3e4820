import Canonical
import Testing

@testable import HTTPAPI

/// The form in which replies are kept for repeated calls.
struct StoredReplyTests {
    @Test(arguments: [
        Reply(status: 201, headers: ["Content-Type": "application/json", "Tenure-Position": "7"], body: [0x7B, 0x7D]),
        Reply(status: 403, headers: ["Content-Type": "application/problem+json"], body: Array("{\"a\":\"ü\"}".utf8)),
        .noContent,
    ]) func `a kept reply is read back with its status, header fields and body`(_ reply: Reply) throws {
        let read = try Reply(stored: reply.stored)
        #expect(read.status == reply.status)
        #expect(read.headers == reply.headers)
        #expect(read.body == reply.body)
    }

    /// The form is kept for a day, so a new version of the service must still read it.
    @Test func `version 1 of the form is this text`() {
        let reply = Reply(status: 200, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
        let text = #"{"body":"{}","headers":{"Content-Type":"application/json"},"status":200,"version":1}"#
        #expect(String(decoding: reply.stored, as: UTF8.self) == text)
    }

    @Test(arguments: [
        "", "{}", "[]", "nonsense", #"{"answer":{"outcome":"success"}}"#,
        #"{"body":"{}","headers":{},"status":200,"version":2}"#, #"{"body":"{}","headers":{},"status":200}"#,
        #"{"body":"{}","headers":{},"status":99,"version":1}"#,
        #"{"body":"{}","headers":{"A":1},"status":200,"version":1}"#,
        #"{"body":{},"headers":{},"status":200,"version":1}"#,
    ]) func `every other form is an error, never an answer`(_ text: String) {
        #expect(throws: StoredReplyError.self) { try Reply(stored: Array(text.utf8)) }
    }
}
