import Canonical
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Prints companies, employees and security admins as they were at a moment, one company at a time.
struct StatePrinter: Sendable {
    let log: EventLog
    let json: Bool

    /// Prints what is selected; a company that was founded later is not there.
    func run(_ selection: ReplaySelection, at moment: StateAt.Moment) async throws {
        let output = Output.standardOutput()
        let ledgers = selection.ledgers.filter(\.id.isTenant)
        let progress = ProgressReport("companies", unit: "companies", total: Int64(ledgers.count))
        var found = false
        for (index, (ledger, _)) in ledgers.enumerated() {
            let state = try await StateAt(reader: log.reader).company(TenantID(ledger.uuid), at: moment)
            progress.update(done: Int64(index + 1))
            guard let tenant = state.tenant else { continue }
            found = true
            let employees = state.employees.filter { selection.employee.map([$0.id].contains) ?? true }
            guard selection.employee == nil || !employees.isEmpty else { continue }
            let names = try await names(employees + state.employees.filter(\.isSecurityAdmin), ledger)
            let page = CompanyPage(
                ledger: ledger, tenant: tenant, state: state, employees: employees, names: names, moment: moment)
            output.write(json ? page.lines() : page.text(on: output.terminal))
        }
        progress.finish()
        if selection.isOneCompany, !found { throw CommandFailure(.notFound, "the company was not founded then") }
    }

    /// The names of employees, opened where their keys are.
    private func names(_ employees: [EmployeeRow], _ ledger: LedgerID) async throws -> [EmployeeID: String] {
        var names: [EmployeeID: String] = [:]
        var rest = employees[...]
        while !rest.isEmpty {
            let part = rest.prefix(1_000)
            let keys = try await log.personKeys(part.map(\.id.uuid), in: ledger)
            for employee in part {
                names[employee.id] =
                    try keys.map {
                        try employee.companyEmployeeID.open(with: $0, in: ledger.uuid) ?? OpenedEvent.erased
                    }
                    ?? OpenedEvent.sealed
            }
            rest = rest.dropFirst(1_000)
        }
        return names
    }
}
