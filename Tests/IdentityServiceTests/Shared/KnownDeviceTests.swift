import Canonical
import EventCoding
import FoundationEssentials
@testable import Identity
import Keys
import TestSupport
import Testing

@testable import IdentityService
@testable import Ledger

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct KnownDeviceTests {
    private let tenant = TenantID(UUID()), employee = EmployeeID(UUID())
    private let phone = [4] + [UInt8](repeating: 1, count: 64), tablet = [4] + [UInt8](repeating: 2, count: 64)

    private func key(_ bytes: [UInt8]) throws -> PublicKeyBytes { try #require(PublicKeyBytes(bytes)) }

    private func presented(_ bytes: [UInt8]) throws -> any EventPayload {
        EmployeeKeyPresented(employeeID: employee, key: try key(bytes), flow: FlowID(UUID()), first: true)
    }

    private func authorized(_ bytes: [UInt8], of employee: EmployeeID? = nil) throws -> any EventPayload {
        EmployeeKeyAuthorized(employeeID: employee ?? self.employee, key: try key(bytes), by: .founding)
    }

    /// Whether phone and tablet are known after some appends.
    private func known(after events: [any EventPayload]) async throws -> [Bool] {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let ledger = LedgerID(tenant.uuid), context = try ServiceContext.connected(pool)
                let time = Timestamp.now()
                for event in events {
                    var recorder = EventRecorder(context, at: time)
                    try recorder.add(event, to: .employee(employee, in: tenant), version: 1, keys: [:])
                    let append = recorder.append(at: time)
                    let receipt = AppendReceipt(events: [], positions: [], time: time, wasDuplicate: false)
                    for statement in append.effects(receipt) { _ = try await pool.query(statement, in: [ledger]) }
                }
                var known: [Bool] = []
                for key in [phone, tablet] {
                    var state = BudgetFixture.flow(tenant: tenant.uuid)
                    state.employeeId = employee.uuid
                    state.employeePublicKey = key
                    let reading = DeviceReading(state)
                    known.append(try reading.read(try await pool.query(reading.sql, in: [ledger]), context.rows))
                }
                return known
            }
        }
    }

    @Test func `a device is known from the authorization of its key on, and for its employee only`() async throws {
        #expect(try await known(after: [presented(phone)]) == [false, false])
        #expect(try await known(after: [presented(phone), authorized(phone)]) == [true, false])
        let other = try authorized(tablet, of: EmployeeID(UUID()))
        #expect(try await known(after: [authorized(phone), other]) == [true, false])
    }

    @Test(arguments: [true, false]) func `a decision ends one key`(isRefusal: Bool) async throws {
        let reason = try #require(ReasonCode("lost")), key = try key(phone)
        let end: any EventPayload =
            isRefusal
            ? EmployeeKeyRefused(employeeID: employee, key: key, reason: reason, note: nil, by: .founding)
            : EmployeeKeyRevoked(employeeID: employee, key: key, reason: reason, note: nil, by: .founding)
        #expect(try await known(after: [authorized(phone), authorized(tablet), end]) == [false, true])
    }

    @Test func `the end of an employee ends the employee's keys`() async throws {
        func ends(_ employee: EmployeeID) -> [any EventPayload] {
            [
                EmployeeIdReleased(employeeID: employee, reason: .expired, by: .policy),
                EmployeeErased(employeeID: employee, by: .founding),
            ]
        }
        let both = try [authorized(phone), authorized(tablet)]
        for (end, other) in zip(ends(employee), ends(EmployeeID(UUID()))) {
            #expect(try await known(after: both + [other]) == [true, true])
            #expect(try await known(after: both + [end]) == [false, false])
            #expect(try await known(after: both + [end, both[1]]) == [false, true])
        }
    }

    @Test func `a cancelled employee keeps the known devices`() async throws {
        let cancelled = EmployeeCancelled(employeeID: employee, reason: .cancelled, by: .founding)
        #expect(try await known(after: [authorized(phone), authorized(tablet), cancelled]) == [true, true])
    }
}
