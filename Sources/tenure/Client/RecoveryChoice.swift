import ArgumentParser
import Canonical
import Credentials
import TenureAPI
import TenureClient

/// Which recovery is decided upon, by whom, and how they compare.
struct RecoveryChoice: ParsableArguments {
    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The id of the employee who lost everything.")
    var employee: String

    @Option(help: "The fingerprint that the person reads out; spaces do not matter. Nothing is asked then.")
    var fingerprint: String?

    @OptionGroup var decider: CompanyDecider

    /// Compares, signs and reports.
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
        Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": .string(action.outcome), "companyName": .string(company),
                    "companyEmployeeId": .string(employee), "fingerprint": .string(fingerprint),
                    "position": position.map(JSONValue.integer),
                ])))
    }

    /// A fingerprint, and what the list says about it when it stands there.
    struct Chosen: Sendable {
        var fingerprint: String
        var row: RecoveryResponse?
    }

    /// The one recovery of the employee that fits, or the one with the fingerprint that was named.
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
                .notFound, "no recovery of \(employee) \(action == .open ? "waits" : "is open")",
                remedy: action == .open ? "Ask for the fingerprint that their new device shows: --fingerprint." : nil)
        }
        guard fitting.count == 1 else {
            throw CommandFailure(
                .failure, "\(fitting.count) devices ask for a recovery of \(employee), and not all may be theirs",
                remedy: "Have it read out, and name it with --fingerprint.")
        }
        return Chosen(fingerprint: row.fingerprint, row: row)
    }

    /// What the admins' list shows. The person's own device names what it decides upon, and is shown no list.
    private func rows(_ session: EmployeeSession) async throws -> [RecoveryResponse] {
        do { return try await session.recoveries() } catch {
            guard let refusal = error as? TenureClientError, refusal.kind == .authorizationNotPermitted else {
                throw error
            }
            guard fingerprint == nil else { return [] }
            throw CommandFailure(
                .notPermitted, "only admins are shown what waits",
                remedy: "Name your own new device with --fingerprint, as it shows it.")
        }
    }
}

extension RecoveryStatement.Action {
    /// What the recovery is afterwards.
    var outcome: String {
        switch self {
        case .open: "opened"
        case .confirm: "confirmed"
        case .cancel: "cancelled"
        }
    }

    /// Whether it can be decided upon a recovery in this state; what was decided already may be decided again.
    fileprivate func fits(_ state: String) -> Bool { self == .open ? state != "confirmed" : state != "waiting" }
}
