import FoundationEssentials
import Identity
import Testing

@testable import IdentityService

@Suite struct RecoveryRequestsTests {
    private func user(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UserID {
        UserID(UUID(uuid: (first, second, third, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, third)))
    }

    @Test func `names that nobody has share their rows, in the directory of the name`() {
        #expect(RecoveryRequests.nobody(user(7, 9, 1)) == RecoveryRequests.nobody(user(7, 9, 2)))
        #expect(RecoveryRequests.nobody(user(7, 9, 1)) != RecoveryRequests.nobody(user(7, 8, 1)))
        #expect(RecoveryRequests.nobody(user(7, 9, 1)).uuid.firstByte == 7)
        #expect(RecoveryRequests.nobody(user(7, 9, 1)).uuid != user(7, 9, 1).uuid)
    }
}
