import Canonical
import Credentials
import Foundation
import Identity
import Testing

@testable import IdentityService
@testable import Ledger

struct FlowMemoryTests {
    private let memory = FlowMemory()

    private func row(_ purpose: IdentityService.FlowPurpose = .login, version: Int32 = 1) -> FlowStore.Row {
        let state = FlowState(
            id: UUID(), purpose: purpose, step: .key, appId: UUID(), tenantId: UUID(), companyName: "acme.example",
            companyEmployeeId: "e", email: nil, isCompanyOwnedEmail: false, employeePublicKey: [], employeeId: UUID(),
            userId: UUID(), credentialId: UUID(), namedCredentialId: UUID(), isDecoy: true, userExists: false,
            questionsAllowed: false, challenge: [], subjectSalt: [], proved: nil, charges: [],
            expiresAt: Timestamp(microseconds: 1_795_000_000_000_000))
        return FlowStore.Row(state: state, version: version, expiresAt: state.expiresAt, seal: [])
    }

    private func next(_ row: FlowStore.Row) -> FlowStore.Row {
        FlowStore.Row(state: row.state, version: row.version + 1, expiresAt: row.expiresAt, seal: [])
    }

    private func user() -> UserSnapshot {
        UserSnapshot(id: UserID(UUID()), state: User.initial, version: 0, leaves: [1: [1]], events: [event])
    }

    private func tenant() -> TenantSnapshot {
        TenantSnapshot(id: TenantID(UUID()), state: Tenant.initial, version: 0, leaves: [1: [1]])
    }

    private let event = RecordedEvent(
        position: 1, id: UUID(), stream: StreamID(ledger: LedgerID(UUID()), kind: "employee", id: UUID()),
        streamVersion: 1, type: "Made", schema: 1, time: Timestamp(microseconds: 0), actor: nil, app: nil,
        requestId: nil, source: nil, causes: [], data: .object([:]), entry: [], leaf: [])

    @Test func `a log-in is found by its handle, and by no other secret`() {
        let row = row(version: 3)
        memory.remember(row, FlowScene())
        #expect(memory.recall(FlowStore.handle(of: row.state))?.row.version == 3)
        var other = row.state
        other.secret = randomBytes(FlowState.secretLength)
        #expect(memory.recall(FlowStore.handle(of: other)) == nil)
        memory.forget(row.state)
        #expect(memory.recall(FlowStore.handle(of: row.state)) == nil)
    }

    @Test(arguments: [IdentityService.FlowPurpose.registration, .change, .recovery])
    func `flows whose rows may hold seeds are not remembered`(purpose: IdentityService.FlowPurpose) {
        let row = row(purpose)
        memory.remember(row, FlowScene())
        #expect(memory.recall(FlowStore.handle(of: row.state)) == nil)
    }

    @Test func `a step adds to what was read before, and a fact of the moment is not kept`() {
        var row = row()
        let first = tenant(), second = tenant()
        memory.remember(row, FlowScene(tenant: first, isKeyInForce: true, hasReachedLifetimeCap: true))
        row = next(row)
        memory.remember(row, FlowScene())
        let remembered = memory.recall(FlowStore.handle(of: row.state))
        #expect(remembered?.scene.tenant?.id == first.id && remembered?.row.version == 2)
        #expect(remembered?.scene.hasReachedLifetimeCap == nil && remembered?.scene.isKeyInForce == nil)
        memory.remember(row, FlowScene(tenant: second))
        #expect(memory.recall(FlowStore.handle(of: row.state))?.scene.tenant?.id == second.id)
    }

    @Test func `an earlier row does not take a later one's place, and histories are not kept`() {
        let row = row(version: 4)
        memory.remember(next(row), FlowScene(user: user(), tenant: tenant()))
        memory.remember(row, FlowScene())
        let remembered = memory.recall(FlowStore.handle(of: row.state))
        #expect(remembered?.row.version == 5)
        #expect(remembered?.scene.user?.events.isEmpty == true && remembered?.scene.user?.leaves.isEmpty == true)
        #expect(remembered?.scene.tenant?.leaves.isEmpty == true)
    }

    @Test func `nobody's credential is kept from the start on, for every step`() throws {
        let decoy = try DecoyKey(bytes: Array(repeating: 1, count: 32)).decoy(company: [1], employee: [2])
        let row = row()
        memory.remember(row, FlowScene(decoy: decoy))
        memory.remember(next(row), FlowScene())
        let scene = try #require(memory.recall(FlowStore.handle(of: row.state))?.scene)
        for parts in [ChallengedCredential.Parts.keyStep, .evaluation, .proof, .validation] {
            #expect(scene.limited(to: parts).decoy?.sealed.context.bytes == decoy.sealed.context.bytes)
        }
    }

    @Test func `a step gets what it asks for and no more`() {
        let scene = FlowScene(user: user(), tenant: tenant(), isKeyInForce: false, hasReachedLifetimeCap: false)
        #expect(scene.limited(to: .evaluation).tenant == nil && scene.limited(to: .evaluation).user != nil)
        #expect(scene.limited(to: .keyStep).tenant != nil)
        #expect(scene.limited(to: .validation).hasReachedLifetimeCap == nil)
        #expect(scene.limited(to: .validation).isKeyInForce == nil)
    }
}
