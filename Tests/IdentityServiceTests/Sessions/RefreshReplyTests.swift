import Canonical
import TenureAPI
import Testing

@testable import IdentityService

@Suite struct RefreshReplyTests {
    private let time = Timestamp(microseconds: 1_795_000_000_000_000)
    private let later = Timestamp(microseconds: 1_795_000_000_000_001)

    @Test func `a kept reply has its bytes, and is read back into its own members`() throws {
        let notice = NoticeResponse(type: "recovery.opened", openedAt: time, openedBy: "7", availableAt: later)
        let reply = SessionResponse(accessToken: "a", expiresAt: time, refreshToken: "r", notices: [notice])
        let bytes = try RefreshReply.members.write(reply).canonicalBytes()
        let opened = #"{"availableAt":"\#(later)","openedAt":"\#(time)","openedBy":"7","type":"recovery.opened"}"#
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"access":"a","expires":"\#(time)","notices":[\#(opened)],"refresh":"r"}"#)
        #expect(try RefreshReply.members.read(CanonicalJSON.parse(bytes)) == reply)
    }
}
