import ArgumentParser
import Canonical
import Credentials
import TenureAPI
import TenureClient

/// The options that select a recovery and the decider.
struct RecoveryChoice: ParsableArguments {
    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The id of the employee whose credentials are lost.")
    var employee: String

    @Option(help: "The fingerprint that the person reads out; spaces are ignored. Skips the question.")
    var fingerprint: String?

    @OptionGroup var decider: CompanyDecider

    /// Compares the fingerprint, signs and reports.
    func decide(
        _ action: RecoveryStatement.Action, reason: String = "mistake",
        saying words: (_ company: String, _ employee: String) -> String
    ) async throws {
        let client = try await decider.options.client()
        let choice = self
        let (fingerprint, position) = try await Interruption.stopping {
            let session = try await choice.decider.session(choice.company, client)
            let chosen = try await choice.chosen(action, session, client)
            let position = try await choice.sign(action, chosen, reason, session)
            return (chosen.fingerprint, position)
        }
        guard decider.options.json else { return Output.standardError().line(words(company, employee)) }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": .string(action.outcome), "companyName": .string(company),
                    "companyEmployeeId": .string(employee), "fingerprint": .string(fingerprint),
                    "position": position.map(JSONValue.integer),
                ])))
    }

    /// A fingerprint, with its row in the list of recoveries if it is listed.
    struct Chosen: Sendable {
        var fingerprint: String
        var row: RecoveryResponse?
    }

    /// Returns the employee's only matching recovery, or the one with the given fingerprint.
    private func chosen(
        _ action: RecoveryStatement.Action, _ session: EmployeeSession, _ client: TenureClient
    ) async throws -> Chosen {
        let rows = try await rows(session).filter {
            client.account(companyName: company, companyEmployeeId: $0.employee.companyEmployeeId ?? "")
                == client.account(companyName: company, companyEmployeeId: employee)
                && Hex.decode($0.fingerprint)?.count == 32
        }
        if let fingerprint {
            let named = fingerprint.filter { !$0.isWhitespace }.lowercased()
            return Chosen(fingerprint: named, row: rows.first { $0.fingerprint == named })
        }
        let fitting = rows.filter { action.fits($0.state) }
        guard let row = fitting.first else {
            throw CommandFailure(
                .notFound, "no recovery of \(employee) is \(action == .open ? "requested" : "open")",
                remedy: action == .open ? "Pass the fingerprint that their new device shows with --fingerprint." : nil)
        }
        guard fitting.count == 1 else {
            throw CommandFailure(
                .failure, "\(fitting.count) devices ask for a recovery of \(employee), perhaps not all of them theirs",
                remedy: "Have the fingerprint read out to you, then pass it with --fingerprint.")
        }
        return Chosen(fingerprint: row.fingerprint, row: row)
    }

    /// Returns the admins' list of recoveries. The person's own device cannot read it and must be given the
    /// fingerprint.
    private func rows(_ session: EmployeeSession) async throws -> [RecoveryResponse] {
        do { return try await session.recoveries() } catch {
            guard let refusal = error as? TenureClientError, refusal.kind == .authorizationNotPermitted else {
                throw error
            }
            guard fingerprint == nil else { return [] }
            throw CommandFailure(
                .notPermitted, "only admins may list recoveries",
                remedy: "Pass the fingerprint that your new device shows with --fingerprint.")
        }
    }
}

extension RecoveryStatement.Action {
    /// The state of the recovery after the decision.
    var outcome: String {
        switch self {
        case .open: "opened"
        case .confirm: "confirmed"
        case .cancel: "cancelled"
        }
    }

    /// Whether the decision is possible for a recovery in this state. A decision may be repeated.
    fileprivate func fits(_ state: String) -> Bool { self == .open ? state != "confirmed" : state != "waiting" }
}

extension RecoveryChoice {
    /// Asks the person to compare the fingerprint, and signs. It first checks with the service that the decision is
    /// permitted and still needed. After the question it fetches a new statement, so that the statement does not expire
    /// during a phone call.
    func sign(
        _ action: RecoveryStatement.Action, _ chosen: Chosen, _ reason: String, _ session: EmployeeSession
    ) async throws -> Int64? {
        func step() async throws -> RecoveryDecisionStep {
            do {
                return try await session.decideRecovery(
                    action, of: employee, fingerprint: chosen.fingerprint, shown: chosen.row?.subject, reason: reason)
            } catch {
                guard let refusal = error as? TenureClientError, refusal.kind == .authorizationNotPermitted else {
                    throw error
                }
                throw CommandFailure(
                    .notPermitted, "you may not take this decision (\(refusal.code))",
                    remedy:
                        "An admin opens, and only the security admin opens for an admin. Another admin confirms, or an "
                        + "authorized device of \(Printable.text(employee)).\n        "
                        + "Nobody may do both, or open their own."
                )
            }
        }
        var next = try await step()
        if case .sign = next, fingerprint == nil, action != .cancel {
            try await compare(chosen, action)
            next = try await step()
        }
        switch next {
        case .done(let position): return position
        case .sign(let decision): return try await decision.sign()
        }
    }

    private func compare(_ chosen: Chosen, _ action: RecoveryStatement.Action) async throws {
        let words = Output.standardError()
        if let row = chosen.row {
            let opener = row.openedBy.map { ", and \(Printable.text($0)) has opened it" } ?? ""
            words.line(
                "\(Printable.text(row.employee.companyEmployeeId ?? "")) of \(Printable.text(row.employee.companyName)) "
                    + "asked for a recovery at \(TimeText.short(row.requestedAt))\(opener). The new device is\n")
        }
        words.line(Fingerprint.compared(chosen.fingerprint, on: words.terminal))
        words.line("Whoever has that device will set new credentials in their name.")
        guard try await TerminalPrompts.confirms("Has the person whom you know read out the same? [y/N] ") else {
            throw CommandFailure(.cancelled, "nothing was \(action.outcome)")
        }
    }
}
