import Foundation
import IdentityService
import Testing

@testable import tenure

@Suite struct AddressExaminationTests {
    @Test func `a suspended domain is bad, and names the command that ends it`() {
        #expect(Examination.findings(suspended: []).map(\.verdict) == [.good])
        let found = Examination.findings(suspended: ["strasse.example", "business.example"])
        #expect(found.map(\.subject) == ["domain strasse.example", "domain business.example"])
        #expect(found.allSatisfy { $0.verdict == .bad })
        #expect(found.first?.remedy?.hasSuffix("tenure company confirm-domain strasse.example") == true)
    }

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
