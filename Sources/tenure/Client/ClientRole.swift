import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Appoints or dismisses an admin, or names the next security admin.
struct ClientRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Appoint or dismiss an admin, or name the next security admin.",
        discussion: """
            Any admin appoints and dismisses admins; the key of this device signs. A company with one admin gives new \
            credentials only to people who have a device still, so appoint a second one early. The security admin is not \
            dismissed: they name who follows, compare the fingerprint of that person's device, and are an ordinary \
            employee then.
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id.")
    var employee: String

    @Argument(help: "The role from now on.")
    var role: NewRole

    @Flag(help: "Do not ask; for admin and employee.")
    var yes = false

    @Option(help: "What the next security admin reads out; spaces do not matter. Nothing is asked then.")
    var fingerprint: String?

    @OptionGroup var decider: CompanyDecider

    func validate() throws {
        if fingerprint != nil && role != .securityAdmin {
            throw ValidationError("Only who becomes the security admin is told by a fingerprint.")
        }
        if yes && role == .securityAdmin {
            throw ValidationError("A security admin follows by the fingerprint of their device: --fingerprint.")
        }
    }

    func run() async throws {
        let client = try await decider.options.client()
        let command = self
        let position = try await Interruption.stopping {
            try await command.decide(try await command.decider.session(command.company, client))
        }
        guard decider.options.json else {
            return Output.standardError().line(role.result(for: Printable.text(employee)))
        }
        Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": .string(role.outcome), "companyName": .string(company),
                    "companyEmployeeId": .string(employee), "position": position.map(JSONValue.integer),
                ])))
    }

    /// Nobody is asked about what they may not decide, or what is so already; and nobody's statement gets too old while
    /// they think.
    private func decide(_ session: EmployeeSession) async throws -> Int64? {
        var next = try await step(session, fingerprint)
        if case .sign(let decision) = next, !yes, fingerprint == nil {
            try await confirm(decision)
            next = try await step(session, decision.followerFingerprint)
        }
        switch next {
        case .done(let position): return position
        case .sign(let decision): return try await decision.sign()
        }
    }

    private func step(_ session: EmployeeSession, _ fingerprint: String?) async throws -> RoleDecisionStep {
        do {
            return try await session.decideRole(role.role, of: employee, followerFingerprint: fingerprint)
        } catch {
            guard let refusal = error as? TenureClientError, refusal.kind == .authorizationNotPermitted else {
                throw error
            }
            throw CommandFailure(
                .notPermitted, "you may not decide this (\(refusal.code))",
                remedy: "Admins appoint and dismiss admins. The security admin cannot be dismissed, only followed by "
                    + "who they name\n        themselves; where they are lost, the operator names the next one.")
        }
    }

    private func confirm(_ decision: RoleDecision) async throws {
        let words = Output.standardError()
        words.line(role.consequence(for: Printable.text(employee), in: Printable.text(company)))
        if let fingerprint = decision.followerFingerprint {
            words.line("\n  " + Style.strong.apply(Fingerprint.readable(fingerprint), on: words.terminal) + "\n")
        }
        let isConfirmed: Bool
        do { isConfirmed = try await TerminalPrompts.confirms(role.question) } catch {
            guard let failure = error as? TenureClientError, failure.kind == .promptUnavailable else { throw error }
            throw CommandFailure(
                .usage, "nobody can be asked here",
                remedy: role == .securityAdmin ? "Name the key that they read out: --fingerprint." : "Say --yes.")
        }
        guard isConfirmed else { throw CommandFailure(.cancelled, "nothing was changed") }
    }
}
