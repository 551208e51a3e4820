import Canonical
import FoundationEssentials
@testable import Identity
import Ledger
import Postgres
import TestSupport
import Testing

@testable import IdentityService

@Suite struct RecoveryPlaceTests {
    private let fingerprint = KeyFingerprint([UInt8](repeating: 7, count: 32))

    @Test func `an employee's request lies in the tenant's ledger`() throws {
        let state = BudgetFixture.flow(), fingerprint = try #require(fingerprint)
        let place = RecoveryWaitingList.Place(of: state, fingerprint)
        #expect(place.ledger == LedgerID(state.tenantId) && place.employee == state.employeeId)
        #expect(place.fingerprint == fingerprint && place.decoys == LedgerID(state.appId))
    }

    @Test func `a decoy's request lies under the app's id, in one place for all flows of a name`() throws {
        let app = UUID(), name = UUID(), fingerprint = try #require(fingerprint)
        let places = [UUID(), UUID()].map { tenant in
            let state = BudgetFixture.flow(app: app, tenant: tenant, user: name, isDecoy: true)
            return RecoveryWaitingList.Place(of: state, fingerprint)
        }
        #expect(places[0] == places[1])
        #expect(places[0].ledger == LedgerID(app) && places[0].employee == name)
        let other = BudgetFixture.flow(app: app, isDecoy: true)
        #expect(RecoveryWaitingList.Place(of: other, fingerprint).employee != name)
    }
}

/// What the rows of recovery requests are limited to.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct RecoveryWaitingListTests {
    /// Stores requests one after another, and returns what is left: the number of each request and its ledger, the
    /// oldest first.
    private func left(
        of requests: [FlowState], decoyLimit: Int64 = 10_000
    ) async throws -> [(ledger: LedgerID, number: UInt8)] {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let list = RecoveryWaitingList(context: try .connected(pool), decoyLimit: decoyLimit)
                for (number, state) in requests.enumerated() {
                    let bytes = [UInt8](repeating: UInt8(number), count: 32)
                    let place = RecoveryWaitingList.Place(of: state, try #require(KeyFingerprint(bytes)))
                    try await list.put(place, at: BudgetFixture.start.adding(.seconds(number)))
                }
            }
            var connection = try await database.connect(as: .superuser)
            return try await connection.query(
                "SELECT ledger_id, fingerprint FROM tenure.recovery_request ORDER BY requested_at"
            ).map { row in
                let (ledger, fingerprint) = try row.decode(UUID.self, [UInt8].self)
                return (LedgerID(ledger), fingerprint[0])
            }
        }
    }

    @Test func `an app keeps its newest decoys, and the oldest goes when a new one comes`() async throws {
        let app = UUID()
        let requests = (0..<7).map { _ in BudgetFixture.flow(app: app, isDecoy: true) }
        let rows = try await left(of: requests, decoyLimit: 3)
        #expect(rows.map(\.number) == [4, 5, 6])
        #expect(rows.allSatisfy { $0.ledger == LedgerID(app) })
    }

    @Test func `a renewed decoy is a new one`() async throws {
        let app = UUID()
        let names = (0..<3).map { _ in BudgetFixture.flow(app: app, isDecoy: true) }
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let list = RecoveryWaitingList(context: try .connected(pool), decoyLimit: 2)
                let fingerprint = try #require(KeyFingerprint([UInt8](repeating: 7, count: 32)))
                for (second, name) in [names[0], names[1], names[0], names[2]].enumerated() {
                    let place = RecoveryWaitingList.Place(of: name, fingerprint)
                    try await list.put(place, at: BudgetFixture.start.adding(.seconds(second)))
                }
            }
            var connection = try await database.connect(as: .superuser)
            let left = try await connection.query(
                "SELECT employee_id FROM tenure.recovery_request ORDER BY requested_at"
            ).map { try $0.decode(UUID.self) }
            #expect(left == [names[0].userId, names[2].userId])
        }
    }

    @Test func `an app's decoys displace neither those of another app nor requests for employees`() async throws {
        let app = UUID(), other = UUID()
        let requests = [
            BudgetFixture.flow(app: app), BudgetFixture.flow(app: other, isDecoy: true),
            BudgetFixture.flow(app: app, isDecoy: true), BudgetFixture.flow(app: app, isDecoy: true),
            BudgetFixture.flow(app: app),
        ]
        let rows = try await left(of: requests, decoyLimit: 1)
        #expect(rows.map(\.number) == [0, 1, 3, 4])
        let ledgers = [requests[0].tenantId, other, app, requests[4].tenantId]
        #expect(rows.map(\.ledger) == ledgers.map { LedgerID($0) })
    }

    @Test(arguments: [false, true])
    func `an employee and a decoy have five requests, and a sixth displaces the oldest`(isDecoy: Bool) async throws {
        let state = BudgetFixture.flow(isDecoy: isDecoy)
        let rows = try await left(of: Array(repeating: state, count: 8))
        #expect(rows.map(\.number) == [3, 4, 5, 6, 7])
    }
}
