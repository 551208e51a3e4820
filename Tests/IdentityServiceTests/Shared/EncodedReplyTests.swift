import ErrorCodes
import Testing

@testable import IdentityService

struct EncodedReplyTests {
    @Test(arguments: [EncodedReply.answer([]), .answer([1, 2]), .refusal([]), .refusal([1, 2])])
    func `a stored reply is read back as what it was`(_ reply: EncodedReply) throws {
        #expect(try EncodedReply(stored: reply.stored) == reply)
    }

    @Test(arguments: [[], [0], [3, 1], Array("{\"answer\":{}}".utf8)] as [[UInt8]])
    func `an unknown form asks for a new key and is no reply`(_ bytes: [UInt8]) {
        #expect(throws: ServiceError(.idempotencyConflict)) { try EncodedReply(stored: bytes) }
    }
}
