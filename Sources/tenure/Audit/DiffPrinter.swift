import ArgumentParser
import Canonical
import Crypto
import Foundation
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Prints what differs in tenants between two moments, one tenant at a time.
struct DiffPrinter: Sendable {
    let log: EventLog
    let json: Bool

    func run(_ selection: ReplaySelection, from: StateAt.Moment, to: StateAt.Moment) async throws {
        let output = Output.standardOutput()
        let ledgers = selection.ledgers.filter(\.id.isTenant)
        let progress = ProgressReport.beside(output, "companies", unit: .company, total: Int64(ledgers.count))
        for (index, (ledger, _)) in ledgers.enumerated() {
            let (before, after) = try await StateAt(reader: log.reader).company(
                TenantID(ledger.uuid), from: from, to: to)
            progress?.update(done: Int64(index + 1))
            guard let tenant = after.tenant else { continue }
            var changes = before.changes(to: after, times: (time(from, before), time(to, after)))
            if let employee = selection.employee { changes = changes.filter { $0.subject.employee == employee } }
            guard !changes.isEmpty else { continue }
            let names = try await names(changes, tenant, ledger)
            if json {
                for change in changes { try output.write(JSONLines.line(Self.json(change, ledger, tenant, names))) }
            } else {
                try output.write(text(changes, tenant, ledger, names, on: output.terminal))
            }
        }
        progress?.finish()
    }

    /// The time at which pending keys are judged. For a position it is the time of the event.
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
        switch change.subject {
        case .company, .employee: change.member
        case .key(_, let key): "key \(Hex.encode(Array(SHA256.hash(data: key.bytes)).prefix(4)))"
        case .mpinIdentity(let id, _): "M-Pin identity \(EventWords.short(id.uuid)) \(change.member)"
        case .mpinActivation(let id): "activation code \(EventWords.short(id.uuid))"
        }
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
        case .mpinIdentity(let id, _):
            members["subject"] = "mpinIdentity"
            members["identityId"] = id.json
        case .mpinActivation(let id):
            members["subject"] = "mpinActivation"
            members["activationId"] = id.json
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
    /// The employee that the difference is about.
    var employee: EmployeeID? {
        switch self {
        case .company, .mpinActivation: nil
        case .employee(let id), .key(let id, _): id
        case .mpinIdentity(_, let id): id
        }
    }
}

/// Compares the live read models with the log, one tenant at a time, and prints the differences.
struct ComparePrinter: Sendable {
    /// The time that a live read model gets to reach the position at which the log was read.
    private static let patience: Duration = .seconds(10)

    let session: ReaderSession
    let log: EventLog
    let json: Bool

    /// Prints the differences. A company whose log cannot be read is named at the end, and the others are compared.
    ///
    /// - Throws: Exit code 1 if a company could not be compared, and otherwise 5 if anything differs.
    func run(_ selection: ReplaySelection) async throws {
        let ledgers = selection.ledgers.filter(\.id.isTenant)
        let progress = ProgressReport("companies", unit: .company, total: Int64(ledgers.count))
        var differences: [ViewDifference] = []
        var damaged = DamagedCompanies()
        for (index, (ledger, _)) in ledgers.enumerated() {
            let tenant = TenantID(ledger.uuid)
            do { differences += try await compare(tenant) } catch {
                guard let obstacle = try await StateAt(reader: log.reader).obstacle(in: tenant) else { throw error }
                damaged.add(tenant, obstacle)
            }
            progress.update(done: Int64(index + 1))
        }
        progress.finish()
        let output = Output.standardOutput()
        try DifferenceText.print(differences, json: json, on: output)
        if json { for line in damaged.lines { try output.write(JSONLines.line(line)) } }
        Output.standardError().line(
            differences.isEmpty
                ? "The live projections of \(Noun.company.counted(ledgers.count - damaged.count)) match the log."
                : "\(Noun.difference.counted(differences.count)) from the log. tenure rebuild repairs them.")
        if let failure = damaged.failure("compared") { throw failure }
        if !differences.isEmpty { throw ExitCode.drift }
    }

    /// Compares a read model at the position to which the log was folded. If the read model is ahead, folds further; if
    /// it is behind, waits for it.
    private func compare(_ tenant: TenantID) async throws -> [ViewDifference] {
        let deadline = ContinuousClock.now + Self.patience
        let views = LiveViews(pool: session.pool)
        var state = try await StateAt(reader: log.reader).company(tenant)
        var waiting = Set(ProjectionName.all)
        var differences: [ViewDifference] = []
        while true {
            let (compared, found) = try await views.compare(state, of: tenant)
            differences += found.filter { waiting.contains($0.view) }
            waiting.subtract(compared)
            guard !waiting.isEmpty, ContinuousClock.now < deadline else { break }
            try await Task.sleep(for: .milliseconds(100))
            state = try await StateAt(reader: log.reader).company(tenant, onto: state)
        }
        let stopped = waiting.sorted().map { view in
            ViewDifference(
                view: view, table: view.rawValue, tenant: tenant, key: "",
                kind: .stopped(position: state.position, reason: "the projection has not processed the whole log"))
        }
        return differences + stopped
    }
}

/// Prints differences between live read models and the log.
enum DifferenceText {
    /// Prints the differences as a table, or as one JSON object each.
    static func print(_ differences: [ViewDifference], json: Bool, on output: Output) throws {
        if json {
            for difference in differences { try output.write(JSONLines.line(Self.json(difference))) }
        } else if !differences.isEmpty {
            try output.write(table(differences).rendered(on: output.terminal))
        }
    }

    private static func words(_ kind: ViewDifference.Kind) -> String {
        switch kind {
        case .missing: "missing"
        case .unexpected: "unexpected"
        case .changed(let columns): "other values: \(columns.joined(separator: " "))"
        case .stopped(let position, let reason): "stopped at position \(position): \(reason)"
        }
    }

    private static func table(_ differences: [ViewDifference]) -> Table {
        var table = Table([
            .init(title: "Table"), .init(title: "Company"), .init(title: "Row"), .init(title: "Difference"),
        ])
        for difference in differences {
            table.add([difference.table, difference.tenant.description, difference.key, words(difference.kind)])
        }
        return table
    }

    private static func json(_ difference: ViewDifference) -> JSONValue {
        var members: [String: JSONValue] = [
            "kind": "difference", "view": .string(difference.view.rawValue), "table": .string(difference.table),
            "companyId": difference.tenant.json, "row": .string(difference.key),
        ]
        switch difference.kind {
        case .missing: members["difference"] = "missing"
        case .unexpected: members["difference"] = "unexpected"
        case .changed(let columns):
            members["difference"] = "changed"
            members["columns"] = .array(columns.map(JSONValue.string))
        case .stopped(let position, let reason):
            members["difference"] = "stopped"
            members["position"] = .integer(position)
            members["reason"] = .string(reason)
        }
        return .object(members)
    }
}
