import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Prints tenants, employees and security admins as they were at a moment, one tenant at a time.
struct StatePrinter: Sendable {
    let log: EventLog
    let json: Bool

    /// Prints the selected tenants. Tenants that were founded later are omitted.
    func run(_ selection: ReplaySelection, at moment: StateAt.Moment) async throws {
        let output = Output.standardOutput()
        let ledgers = selection.ledgers.filter(\.id.isTenant)
        let progress = ProgressReport.beside(output, "companies", unit: .company, total: Int64(ledgers.count))
        var found = false
        for (index, (ledger, _)) in ledgers.enumerated() {
            let state = try await StateAt(reader: log.reader).company(TenantID(ledger.uuid), at: moment)
            progress?.update(done: Int64(index + 1))
            guard let tenant = state.tenant else { continue }
            found = true
            let employees = state.employees.filter { selection.employee.map([$0.id].contains) ?? true }
            guard selection.employee == nil || !employees.isEmpty else { continue }
            let names = try await names(employees + state.employees.filter(\.isSecurityAdmin), ledger)
            let page = CompanyPage(
                ledger: ledger, tenant: tenant, state: state, employees: employees, names: names, moment: moment)
            let mpin = try await MPinPage(page, isOneEmployee: selection.employee != nil, log: log)
            let terminal = output.terminal
            try output.write(json ? page.lines() + mpin.lines() : page.text(on: terminal) + mpin.text(on: terminal))
        }
        progress?.finish()
        if selection.isOneCompany, !found {
            throw CommandFailure(.notFound, "the company was not founded at that time")
        }
    }

    /// Returns the names of employees, decrypted if their keys are available.
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

/// One tenant at a moment, rendered for people or programs.
struct CompanyPage {
    let ledger: LedgerID
    let tenant: TenantRow
    let state: CompanyState
    let employees: [EmployeeRow]
    let names: [EmployeeID: String]
    let moment: StateAt.Moment

    /// The time at which pending keys are judged. For a position it is the time of the event.
    var time: Timestamp {
        switch moment {
        case .time(let time): time
        case .position, .now: state.time ?? tenant.foundedAt
        }
    }

    /// Renders a heading and a table.
    func text(on terminal: Terminal) -> String {
        let admin = names[tenant.securityAdmin] ?? EventWords.short(tenant.securityAdmin.uuid)
        let waiting = state.pending.filter { !$0.isExpired(at: time) }
        let heading =
            "company \(tenant.companyName) \(EventWords.short(ledger.uuid)): position \(state.position), "
            + "\(Noun.employee.counted(tenant.employees)), security admin \(admin), "
            + Noun.key.counted(waiting.count, "waits", "wait")
        var table = Table([
            .init(title: "Employee"), .init(title: "Status"), .init(title: "Role"), .init(title: "Keys"),
            .init(title: "Registered"), .init(title: "Id"),
        ])
        let keys = keyWords()
        for employee in employees {
            table.add([
                names[employee.id] ?? "", employee.status.rawValue, employee.role.rawValue, keys[employee.id] ?? "none",
                TimeText.short(employee.registeredAt), EventWords.short(employee.id.uuid),
            ])
        }
        return Style.strong.apply(Printable.text(heading), on: terminal) + "\n" + table.rendered(on: terminal) + "\n"
    }

    /// Renders one line for the tenant, one for its security admin, and one for each employee and each pending key.
    func lines() -> String {
        var lines = [line("company", companyMembers)]
        if let admin = state.securityAdmin {
            lines.append(
                line(
                    "securityAdmin",
                    [
                        "employeeId": admin.current.employee.json, "eventId": .uuid(admin.current.proof.id),
                        "position": .integer(admin.current.proof.position), "since": .timestamp(admin.current.since),
                        "companyEmployeeId": names[admin.current.employee].map(JSONValue.string),
                    ]))
        }
        for employee in employees {
            lines.append(
                line(
                    "employee",
                    [
                        "employeeId": employee.id.json, "userId": employee.user.json,
                        "companyEmployeeId": names[employee.id].map(JSONValue.string),
                        "status": .string(employee.status.rawValue), "role": .string(employee.role.rawValue),
                        "registeredAt": .timestamp(employee.registeredAt),
                        "position": .integer(employee.changedPosition),
                    ]))
        }
        let shown = Set(employees.map(\.id))
        for key in state.pending where shown.contains(key.employee) && !key.isExpired(at: time) {
            lines.append(
                line(
                    "pendingAuthorization",
                    [
                        "employeeId": key.employee.json, "employeePublicKey": .string(Base64.encode(key.key.bytes)),
                        "presentedAt": .timestamp(key.presentedAt), "position": .integer(key.presented.position),
                    ]))
        }
        return lines.joined()
    }

    private var companyMembers: [String: JSONValue?] {
        [
            "position": .integer(state.position), "foundedAt": .timestamp(tenant.foundedAt),
            "employees": .integer(tenant.employees), "confirmedDomain": tenant.confirmedDomain.map(JSONValue.string),
            "keyAuthorization": .string(tenant.policy.keyAuthorization.rawValue),
            "approval": .string(tenant.policy.approval.rawValue), "blindOnly": .bool(tenant.policy.blindOnly),
            "questionsWithPassphrase": .bool(tenant.policy.questionsWithPassphrase),
            "linkedApps": .array(tenant.linkedApps.map(\.json)),
        ]
    }

    /// Renders a line about the tenant or something in it.
    func line(_ kind: String, _ members: [String: JSONValue?]) -> String {
        let company: JSONValue = .object(["companyName": .string(tenant.companyName), "companyId": .uuid(ledger.uuid)])
        var all: [String: JSONValue] = ["kind": .string(kind), "company": company]
        for case (let name, let value?) in members { all[name] = value }
        return JSONLines.line(.object(all))
    }

    /// Describes how many keys of each state every employee has.
    private func keyWords() -> [EmployeeID: String] {
        Dictionary(grouping: state.keys, by: \.employee).mapValues { keys in
            let counts = Dictionary(keys.map { ($0.stateName(at: time), 1) }, uniquingKeysWith: +)
            return counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        }
    }
}
