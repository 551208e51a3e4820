import Canonical
import Foundation
import Identity
import Keys
import Ledger
import Testing

@testable import IdentityService
@testable import Postgres

/// What a step sends to the database must not depend on whether there is somebody.
struct FlowSceneReadingTests {
    private let context: ServiceContext

    init() throws {
        context = try .unconnected()
    }

    private static let tenant = UUID()

    private func scene(_ user: UUID) -> FlowScene {
        FlowScene(
            user: UserSnapshot(id: UserID(user), state: User.initial, version: 0, leaves: [:], events: []),
            tenant: TenantSnapshot(id: TenantID(Self.tenant), state: Tenant.initial, version: 0, leaves: [:]))
    }

    /// Texts of statements and lengths of what is bound.
    private func shape(_ reading: FlowSceneReading) -> [String] {
        reading.statements.map { "\($0.text) \($0.parameters.bytes.count)" }
    }

    @Test(arguments: [ChallengedCredential.Parts.keyStep, .evaluation, .proof, .validation])
    func `people, and names that nobody has, are read by the same statements`(
        parts: ChallengedCredential.Parts
    ) {
        let known = BudgetFixture.flow(tenant: Self.tenant)
        var unknown = BudgetFixture.flow(tenant: Self.tenant, isDecoy: true)
        let standIn = StandIn(employeeId: UUID(), userId: UUID(), credentialId: UUID())
        unknown.standIn = standIn
        // Nobody, and no colleague who could stand in.
        let alone = BudgetFixture.flow(tenant: Self.tenant, isDecoy: true)
        let readings = [
            (known, known.userId), (unknown, standIn.userId), (alone, alone.userId),
        ].map { state, user in
            (
                fresh: FlowSceneReading(parts, for: state, context),
                remembered: FlowSceneReading(parts, for: state, remembered: scene(user), context)
            )
        }
        for reading in readings {
            #expect(shape(reading.fresh) == shape(readings[0].fresh))
            #expect(shape(reading.remembered) == shape(readings[0].remembered))
            // The company's ledger, and the directory of the user, which is that of the budget or of who stands in.
            #expect(reading.remembered.ledgers.contains(LedgerID(Self.tenant)))
            #expect((2...3).contains(reading.remembered.ledgers.count))
        }
        #expect(shape(readings[0].fresh) != shape(readings[0].remembered))
    }

    @Test func `what is newer than remembered is not taken, nor anything else with it`() throws {
        let state = BudgetFixture.flow(tenant: Self.tenant)
        var remembered = scene(state.userId)
        let nothing = FlowSceneReading(.keyStep, for: state, remembered: remembered, context)
        #expect(try nothing.read([[], []])?.scene.user?.id == UserID(state.userId))
        remembered.user?.head = StreamHead(version: 3, event: UUID())
        let moved = FlowSceneReading(.keyStep, for: state, remembered: remembered, context)
        let read = try moved.read([[], []])
        #expect(read == nil)
    }
}
