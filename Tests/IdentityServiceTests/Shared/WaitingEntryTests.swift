import Canonical
import FoundationEssentials
import Testing

@testable import IdentityService

@Suite struct WaitingEntryTests {
    private func entry(_ id: String, _ origin: WaitingEntry.Origin, isConfirmed: Bool, minute: Int64) -> WaitingEntry {
        WaitingEntry(
            employee: UUID(), companyEmployeeId: id, address: "", isAddressConfirmed: isConfirmed, needsApproval: false,
            isNewPerson: true, isAdministrative: false, origin: origin, device: nil,
            since: Timestamp(microseconds: minute * 60_000_000))
    }

    @Test func `who was invited or confirmed comes first, of each kind the newest`() {
        let flood = (1...300).map { entry("flood", .open, isConfirmed: false, minute: 1_000 + $0) }
        let real = [
            entry("invited", .invited, isConfirmed: false, minute: 1),
            entry("mailed", .open, isConfirmed: true, minute: 2),
        ]
        let order = (flood.prefix(200) + real + flood.dropFirst(200)).inOrder
        #expect(order.prefix(3).map(\.companyEmployeeId) == ["mailed", "invited", "flood"])
        #expect(order[2].since == flood.last?.since && order.count == 302)
    }

    @Test func `an address of the domain that nobody confirmed vouches for nobody`() {
        #expect(!entry("x", .domain, isConfirmed: false, minute: 1).isVouched)
        #expect(entry("x", .domain, isConfirmed: true, minute: 1).isVouched)
    }
}
