import Foundation
import IdentityService
import Testing

@testable import tenure

@Suite struct AddressExaminationTests {
    @Test func `a user without the address is listed with its holder, and no more than twenty are`() {
        #expect(Examination.findings([AddressCollision]()).map(\.verdict) == [.good])
        let collisions = (0..<23).map { _ in AddressCollision(user: UUID(), holder: UUID()) }
        let found = Examination.findings(collisions)
        #expect(found.count == 21 && found.allSatisfy { $0.verdict == .note })
        #expect(found.last?.detail == "3 more users lost an address")
        for (finding, collision) in zip(found, collisions.prefix(20)) {
            #expect(finding.subject == "user \(collision.user.uuidString.lowercased())")
            #expect(finding.detail.hasSuffix(collision.holder.uuidString.lowercased()))
        }
    }
}
