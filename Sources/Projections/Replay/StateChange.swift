public import Canonical
public import Identity

/// Something about a company that is otherwise at a later moment.
public struct StateChange: Sendable, Equatable {
    /// What it is about.
    public enum Subject: Sendable, Hashable {
        /// The company itself.
        case company
        /// An employee.
        case employee(EmployeeID)
        /// A device key of an employee.
        case key(EmployeeID, PublicKeyBytes)
    }

    /// What it is about.
    public let subject: Subject
    /// What of it: `status`, `role`, `keyAuthorization` and so on, as the API names it.
    public let member: String
    /// What it was; nil where there was none.
    public let before: String?
    /// What it is; nil where there is none any more.
    public let after: String?
}

extension CompanyState {
    /// What is otherwise in a later state: the company first, then employees and keys in the order of registration.
    ///
    /// - Parameters:
    ///   - later: The same company later.
    ///   - times: The two moments, by which it is judged whether a waiting key has expired.
    public func changes(to later: CompanyState, times: (Timestamp, Timestamp)) -> [StateChange] {
        var changes: [StateChange] = []
        func compare(_ subject: StateChange.Subject, _ before: [Member], _ after: [Member]) {
            let old = Dictionary(before.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            let new = Dictionary(after.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            let names = after.map(\.name) + before.map(\.name).filter { new[$0] == nil }
            for name in names where old[name] != new[name] {
                changes.append(StateChange(subject: subject, member: name, before: old[name], after: new[name]))
            }
        }
        compare(.company, companyMembers, later.companyMembers)
        let employeesBefore = Dictionary(employees.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for employee in later.employees {
            compare(
                .employee(employee.id), employeesBefore[employee.id].map(Self.members) ?? [], Self.members(employee))
        }
        let keysBefore = Dictionary(keys.map { ($0.viewKey, $0) }, uniquingKeysWith: { first, _ in first })
        for key in later.keys {
            let before = keysBefore[key.viewKey].map { [Member("state", $0.stateName(at: times.0))] } ?? []
            compare(.key(key.employee, key.key), before, [Member("state", key.stateName(at: times.1))])
        }
        return changes
    }

    private struct Member {
        let name: String
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    private static func members(_ employee: EmployeeRow) -> [Member] {
        [Member("status", employee.status.rawValue), Member("role", employee.role.rawValue)]
    }

    private var companyMembers: [Member] {
        guard let tenant else { return [] }
        var members = [
            Member("companyName", tenant.companyName), Member("securityAdmin", tenant.securityAdmin.description),
            Member("keyAuthorization", tenant.policy.keyAuthorization.rawValue),
            Member("approval", tenant.policy.approval.rawValue), Member("blindOnly", String(tenant.policy.blindOnly)),
            Member("questionsWithPassphrase", String(tenant.policy.questionsWithPassphrase)),
            Member("employees", String(tenant.employees)),
            Member("linkedApps", tenant.linkedApps.map(\.description).sorted().joined(separator: " ")),
        ]
        if let domain = tenant.confirmedDomain { members.append(Member("confirmedDomain", domain)) }
        return members
    }
}
