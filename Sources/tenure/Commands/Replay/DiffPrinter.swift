import Canonical
import Crypto
import Foundation
import Identity
import Ledger
import Projections

/// Prints what is otherwise about companies between two moments, one company at a time.
struct DiffPrinter: Sendable {
    let log: EventLog
    let json: Bool

    func run(_ selection: ReplaySelection, from: StateAt.Moment, to: StateAt.Moment) async throws {
        let output = Output.standardOutput()
        let ledgers = selection.ledgers.filter(\.id.isTenant)
        let progress = ProgressReport("companies", unit: "companies", total: Int64(ledgers.count))
        for (index, (ledger, _)) in ledgers.enumerated() {
            let (before, after) = try await StateAt(reader: log.reader).company(
                TenantID(ledger.uuid), from: from, to: to)
            progress.update(done: Int64(index + 1))
            guard let tenant = after.tenant else { continue }
            var changes = before.changes(to: after, times: (time(from, before), time(to, after)))
            if let employee = selection.employee { changes = changes.filter { $0.subject.employee == employee } }
            guard !changes.isEmpty else { continue }
            let names = try await names(changes, tenant, ledger)
            if json {
                for change in changes { output.write(JSONLines.line(Self.json(change, ledger, tenant, names))) }
            } else {
                output.write(text(changes, tenant, ledger, names, on: output.terminal))
            }
        }
        progress.finish()
    }

    /// The time by which waiting keys are judged: a position's is that of its event.
    private func time(_ moment: StateAt.Moment, _ state: CompanyState) -> Timestamp {
        if case .time(let time) = moment { return time }
        return state.time ?? Timestamp(microseconds: 0)
    }

    private func names(
        _ changes: [StateChange], _ tenant: TenantRow, _ ledger: LedgerID
    ) async throws -> [UUID: String] {
        var reader = EmployeeNames(log, ledger)
        let admins = changes.filter { $0.member == "securityAdmin" }.flatMap { [$0.before, $0.after] }
        let ids =
            changes.compactMap(\.subject.employee?.uuid) + admins.compactMap { $0.flatMap(UUID.init(lowercased:)) }
        for part in stride(from: 0, to: ids.count, by: 1_000) {
            try await reader.learn(ids: ids[part..<min(part + 1_000, ids.count)])
        }
        return reader.names
    }

    private func text(
        _ changes: [StateChange], _ tenant: TenantRow, _ ledger: LedgerID, _ names: [UUID: String],
        on terminal: Terminal
    ) -> String {
        var table = Table([.init(title: "Who"), .init(title: "What"), .init(title: "Before"), .init(title: "After")])
        for change in changes {
            let isAdmin = change.member == "securityAdmin"
            func shown(_ value: String?) -> String {
                guard let value else { return "-" }
                return isAdmin ? UUID(lowercased: value).flatMap { names[$0] } ?? value : value
            }
            table.add([
                who(change.subject, names), what(change), shown(change.before), shown(change.after),
            ])
        }
        let title = Printable.text("company \(tenant.companyName) \(EventWords.short(ledger.uuid))")
        return Style.strong.apply(title, on: terminal) + "\n" + table.rendered(on: terminal) + "\n"
    }

    private func who(_ subject: StateChange.Subject, _ names: [UUID: String]) -> String {
        subject.employee.map { names[$0.uuid] ?? EventWords.short($0.uuid) } ?? "the company"
    }

    private func what(_ change: StateChange) -> String {
        guard case .key(_, let key) = change.subject else { return change.member }
        return "key \(Hex.encode(Array(SHA256.hash(data: key.bytes)).prefix(4)))"
    }

    private static func json(
        _ change: StateChange, _ ledger: LedgerID, _ tenant: TenantRow, _ names: [UUID: String]
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "companyId": .uuid(ledger.uuid), "companyName": .string(tenant.companyName),
            "member": .string(change.member),
        ]
        switch change.subject {
        case .company: members["subject"] = "company"
        case .employee: members["subject"] = "employee"
        case .key(_, let key):
            members["subject"] = "key"
            members["employeePublicKey"] = .string(Base64.encode(key.bytes))
        }
        if let employee = change.subject.employee {
            members["employeeId"] = employee.json
            members["companyEmployeeId"] = names[employee.uuid].map(JSONValue.string)
        }
        members["before"] = change.before.map(JSONValue.string)
        members["after"] = change.after.map(JSONValue.string)
        return .object(members)
    }
}

extension StateChange.Subject {
    /// The employee it is about.
    var employee: EmployeeID? {
        switch self {
        case .company: nil
        case .employee(let id), .key(let id, _): id
        }
    }
}
