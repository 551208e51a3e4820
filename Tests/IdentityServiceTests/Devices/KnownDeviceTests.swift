import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
import TestSupport
import Testing

@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct KnownDeviceTests {
    private let tenant = TenantID(UUID()), employee = EmployeeID(UUID())
    private let phone = [4] + [UInt8](repeating: 1, count: 64), tablet = [4] + [UInt8](repeating: 2, count: 64)

    private func append(_ type: String, _ key: [UInt8]? = nil, of employee: EmployeeID? = nil) -> Append {
        let stream = StreamID.employee(employee ?? self.employee, in: tenant)
        let data = JSONValue.objectOmittingNil(["key": key.map { .bytes($0) }])
        return Append(events: [NewEvent(id: UUID(), stream: stream, type: type, data: data)], expectations: [stream: 1])
    }

    /// Whether phone and tablet are known after the statements of some appends.
    private func known(after appends: [Append]) async throws -> [Bool] {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let ledger = LedgerID(tenant.uuid)
                let rows = RowAuthentication(.random(), logger: Logger(label: "test"))
                for append in appends {
                    for statement in try DeviceRecordingAppender.statements(for: append, rows.ring) {
                        _ = try await pool.query(statement, in: [ledger])
                    }
                }
                var known: [Bool] = []
                for key in [phone, tablet] {
                    var state = BudgetFixture.flow(tenant: tenant.uuid)
                    state.employeeId = employee.uuid
                    state.employeePublicKey = key
                    let reading = DeviceReading(state)
                    known.append(try reading.read(try await pool.query(reading.sql, in: [ledger]), rows))
                }
                return known
            }
        }
    }

    @Test func `a device is known from the authorization of its key on, and for its employee only`() async throws {
        let presented = append("EmployeeKeyPresented", phone)
        #expect(try await known(after: [presented]) == [false, false])
        #expect(try await known(after: [presented, append("EmployeeKeyAuthorized", phone)]) == [true, false])
        let other = append("EmployeeKeyAuthorized", tablet, of: EmployeeID(UUID()))
        #expect(try await known(after: [append("EmployeeKeyAuthorized", phone), other]) == [true, false])
    }

    @Test(arguments: ["EmployeeKeyRefused", "EmployeeKeyRevoked"])
    func `a decision ends one key`(type: String) async throws {
        let authorized = [phone, tablet].map { append("EmployeeKeyAuthorized", $0) }
        #expect(try await known(after: authorized + [append(type, phone)]) == [false, true])
    }

    @Test(arguments: ["EmailReclaimed", "EmployeeIdReleased", "EmployeeErased"])
    func `the end of an employee ends the employee's keys`(type: String) async throws {
        let authorized = [phone, tablet].map { append("EmployeeKeyAuthorized", $0) }
        #expect(try await known(after: authorized + [append(type, of: EmployeeID(UUID()))]) == [true, true])
        #expect(try await known(after: authorized + [append(type)]) == [false, false])
        #expect(try await known(after: authorized + [append(type), authorized[1]]) == [false, true])
    }

    @Test func `a cancelled employee keeps the known devices`() async throws {
        let authorized = [phone, tablet].map { append("EmployeeKeyAuthorized", $0) }
        #expect(try await known(after: authorized + [append("EmployeeCancelled")]) == [true, true])
    }

    @Test func `a decision that names no key is refused`() throws {
        #expect(throws: LedgerError.self) {
            try DeviceRecordingAppender.statements(for: append("EmployeeKeyRevoked"), .random())
        }
    }
}
