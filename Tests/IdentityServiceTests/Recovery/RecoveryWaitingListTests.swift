import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger
import Testing

@testable import IdentityService

@Suite struct RecoveryWaitingListTests {
    private let ring = KeyRing.random()
    private let fingerprint = KeyFingerprint([UInt8](repeating: 7, count: 32))

    private func flow(isDecoy: Bool = true) -> FlowState {
        var state = BudgetFixture.flow(isDecoy: isDecoy)
        state.userId = UUID.random()
        return state
    }

    @Test func `an employee's place in the list follows from tenant and fingerprint`() throws {
        let state = flow(isDecoy: false), fingerprint = try #require(fingerprint)
        let place = RecoveryWaitingList.place(of: state, fingerprint, ring)
        #expect(place.ledger == LedgerID(state.tenantId) && place.employee == state.employeeId)
        #expect(place.key == fingerprint.bytes)
    }

    @Test func `unknown names share places but never a row`() throws {
        let fingerprint = try #require(fingerprint)
        var places: [UUID: RecoveryWaitingList.Place] = [:], shared = 0
        for _ in 0..<4_000 {
            let place = RecoveryWaitingList.place(of: flow(), fingerprint, ring)
            #expect(place.ledger.isDirectory && place.key != fingerprint.bytes && place.key.count == 32)
            if let other = places.updateValue(place, forKey: place.employee) {
                shared += 1
                #expect(other.ledger == place.ledger && other.key != place.key)
            }
        }
        // Some thirty of four thousand meet in 262,144 places.
        #expect((5...100).contains(shared), "\(shared)")
    }

    @Test func `a name's place is stable and cannot be computed without the keys`() throws {
        let state = flow(), fingerprint = try #require(fingerprint)
        let place = RecoveryWaitingList.place(of: state, fingerprint, ring)
        #expect(RecoveryWaitingList.place(of: state, fingerprint, ring) == place)
        #expect(RecoveryWaitingList.place(of: state, fingerprint, .random()).key != place.key)
        #expect(RecoveryWaitingList.place(of: state, fingerprint, .random()).employee != place.employee)
    }
}
