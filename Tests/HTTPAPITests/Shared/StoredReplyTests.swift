import Testing

@testable import HTTPAPI

/// The form in which replies are kept for repeated calls.
struct StoredReplyTests {
    @Test(arguments: [
        Reply(status: 201, headers: ["Content-Type": "application/json", "Tenure-Position": "7"], body: [0x7B, 0x7D]),
        Reply(status: 403, headers: ["Content-Type": "application/problem+json"], body: Array("{\"a\":\"ü\"}".utf8)),
        .noContent,
    ]) func `a kept reply is read back with its status, header fields and body`(_ reply: Reply) {
        let read = Reply(reply.stored)
        #expect(read.isRepeated)
        #expect(read.status == reply.status)
        #expect(read.headers == reply.headers)
        #expect(read.body == reply.body)
    }
}
