import Credentials
import TenureAPI
import TenureClient

extension RecoveryChoice {
    /// Nobody is asked to compare what they may not decide, or what is decided; and nobody's statement gets too old
    /// while they are on the phone.
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
                    .notPermitted, "you may not decide this (\(refusal.code))",
                    remedy:
                        "The security admin opens; another admin confirms, or a device of \(Printable.text(employee)) "
                        + "that is authorized.\n        Nobody does both, or opens their own, and a key that was revoked "
                        + "is done with.")
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
        words.line("  " + Style.strong.apply(Fingerprint.readable(chosen.fingerprint), on: words.terminal) + "\n")
        words.line("Whoever has that device will set new credentials in their name.")
        guard try await TerminalPrompts.confirms("Has the person whom you know read out the same? [y/N] ") else {
            throw CommandFailure(.cancelled, "nothing was \(action.outcome)")
        }
    }
}
