import FoundationEssentials
import Identity
import Ledger
import Projections

/// Which ledgers a replay is about, and which one employee.
struct ReplaySelection: Sendable {
    private(set) var ledgers: [(id: LedgerID, size: Int64)]
    private(set) var employee: EmployeeID?
    /// Whether one company was asked for, so that its absence is a failure.
    private(set) var isOneCompany = false

    init(ledgers: [(id: LedgerID, size: Int64)]) { self.ledgers = ledgers }

    /// Limits the selection to a company, and to one of its employees.
    mutating func limit(to company: String, _ employee: String?, _ session: ReaderSession) async throws {
        let tenant = try session.tenant(company)
        ledgers = ledgers.filter { $0.id.uuid == tenant.uuid }
        isOneCompany = true
        guard !ledgers.isEmpty else { throw CommandFailure(.notFound, "there is no company of that name") }
        if let employee { self.employee = try await session.employee(employee, in: tenant) }
    }

    /// Limits the selection to a ledger that is there, and to one employee.
    mutating func limit(to ledger: LedgerID, _ employee: EmployeeID?) {
        ledgers = ledgers.filter { $0.id == ledger }
        isOneCompany = true
        self.employee = employee
    }

    /// Whether an event is about the employee, done by or to.
    func concerns(_ event: OpenedEvent) -> Bool {
        guard let employee else { return true }
        return event.recorded.stream.id == employee.uuid || EventWords.people(event).contains(employee.uuid)
    }
}
