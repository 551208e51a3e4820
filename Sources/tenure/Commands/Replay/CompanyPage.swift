import Canonical
import FoundationEssentials
import Identity
import Ledger
import Projections

/// One company at a moment, for a person or a program.
struct CompanyPage {
    let ledger: LedgerID
    let tenant: TenantRow
    let state: CompanyState
    let employees: [EmployeeRow]
    let names: [EmployeeID: String]
    let moment: StateAt.Moment

    /// Until when waiting keys are judged: a position's moment is the time of its event.
    private var time: Timestamp {
        switch moment {
        case .time(let time): time
        case .position, .now: state.time ?? tenant.foundedAt
        }
    }

    /// A heading and a table.
    func text(on terminal: Terminal) -> String {
        let admin = names[tenant.securityAdmin] ?? EventWords.short(tenant.securityAdmin.uuid)
        let waiting = state.pending.filter { !$0.isExpired(at: time) }
        let heading =
            "company \(tenant.companyName) \(EventWords.short(ledger.uuid)): position \(state.position), "
            + "\(tenant.employees) employees, security admin \(admin), \(waiting.count) keys wait"
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

    /// A line for the company, one for its security admin, one for each employee and one for each waiting key.
    func lines() -> String {
        let company: JSONValue = .object(["companyName": .string(tenant.companyName), "companyId": .uuid(ledger.uuid)])
        var lines = [line("company", company, companyMembers)]
        if let admin = state.securityAdmin {
            lines.append(
                line(
                    "securityAdmin", company,
                    [
                        "employeeId": admin.current.employee.json, "eventId": .uuid(admin.current.proof.id),
                        "position": .integer(admin.current.proof.position), "since": .timestamp(admin.current.since),
                        "companyEmployeeId": names[admin.current.employee].map(JSONValue.string),
                    ]))
        }
        for employee in employees {
            lines.append(
                line(
                    "employee", company,
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
                    "pendingAuthorization", company,
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

    private func line(_ kind: String, _ company: JSONValue, _ members: [String: JSONValue?]) -> String {
        var all: [String: JSONValue] = ["kind": .string(kind), "company": company]
        for case (let name, let value?) in members { all[name] = value }
        return JSONLines.line(.object(all))
    }

    /// How many keys each employee has in which state.
    private func keyWords() -> [EmployeeID: String] {
        Dictionary(grouping: state.keys, by: \.employee).mapValues { keys in
            let counts = Dictionary(keys.map { ($0.stateName(at: time), 1) }, uniquingKeysWith: +)
            return counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        }
    }
}
