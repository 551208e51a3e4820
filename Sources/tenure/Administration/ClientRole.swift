import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Appoints or dismisses an admin, or names the next security admin.
struct ClientRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Appoint or dismiss an admin, or name the next security admin.",
        discussion: """
            The security admin appoints and dismisses admins, signed with this device's key. A device key that an app \
            vouched for carries the role only if you name it with --key, after comparing its fingerprint with the \
            person. In a company with one admin a recovery takes twice as long, so appoint a second one early.

            The security admin cannot be dismissed. They name a successor, compare the fingerprint of the successor's \
            device, and become an ordinary employee.

            Examples:
              tenure client role harbour.example bruno admin
              tenure client role harbour.example chiara security-admin
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id.")
    var employee: String

    @Argument(help: "The new role.")
    var role: NewRole

    @Flag(help: "Do not ask for confirmation; for the roles admin and employee.")
    var yes = false

    @Option(help: "The fingerprint that the next security admin reads out; spaces are ignored. Skips the question.")
    var fingerprint: String?

    @Option(help: "The fingerprint of a device key that shall carry the role; may be repeated.")
    var key: [String] = []

    @OptionGroup var decider: CompanyDecider

    func validate() throws {
        if fingerprint != nil && role != .securityAdmin {
            throw ValidationError("--fingerprint is for the role securityAdmin only.")
        }
        if yes && role == .securityAdmin {
            throw ValidationError("Name the new security admin's device key with --fingerprint.")
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
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": .string(role.outcome), "companyName": .string(company),
                    "companyEmployeeId": .string(employee), "position": position.map(JSONValue.integer),
                ])))
    }

    /// Asks for confirmation and signs. It first checks with the service that the decision is permitted and still
    /// needed. After the question it fetches a new statement, so that the statement does not expire while the person
    /// thinks.
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
            return try await session.decideRole(
                role.role, of: employee, followerFingerprint: fingerprint, keys: key.isEmpty ? nil : key)
        } catch {
            guard let refusal = error as? TenureClientError else { throw error }
            if refusal.kind == .authorizationUnknownKey {
                throw CommandFailure(
                    .notFound, "no device key of \(Printable.text(employee)) can carry the role (\(refusal.code))",
                    remedy: "Compare the fingerprint with that person, then pass --key FINGERPRINT.")
            }
            guard refusal.kind == .authorizationNotPermitted else { throw error }
            throw CommandFailure(
                .notPermitted, "you may not take this decision (\(refusal.code))\(Self.reason(refusal))",
                remedy:
                    "The security admin appoints and dismisses admins. The security admin cannot be dismissed: they "
                    + "name a successor\n        instead. If they cannot, the operator names the next one.")
        }
    }

    /// What the service says about its refusal, after a colon.
    private static func reason(_ refusal: TenureClientError) -> String {
        let details = refusal.problem?.errors.map(\.detail).joined(separator: ", ") ?? ""
        return details.isEmpty ? "" : ": " + details
    }

    private func confirm(_ decision: RoleDecision) async throws {
        let words = Output.standardError()
        words.line(role.consequence(for: Printable.text(employee), in: Printable.text(company)))
        if let fingerprint = decision.followerFingerprint {
            words.line("\n" + Fingerprint.compared(fingerprint, on: words.terminal))
        }
        let isConfirmed: Bool
        do { isConfirmed = try await TerminalPrompts.confirms(role.question) } catch {
            guard let failure = error as? TenureClientError, failure.kind == .promptUnavailable else { throw error }
            throw CommandFailure(
                .usage, "there is no terminal to ask for confirmation",
                remedy: role == .securityAdmin
                    ? "Pass the fingerprint that they read out with --fingerprint." : "Pass --yes.")
        }
        guard isConfirmed else { throw CommandFailure(.cancelled, "nothing was changed") }
    }
}

/// The new role, by its name on the command line.
enum NewRole: String, ExpressibleByArgument, CaseIterable {
    case admin
    case employee
    case securityAdmin = "security-admin"

    /// The role's name on the wire.
    var role: RoleRequest.Role {
        switch self {
        case .admin: .admin
        case .employee: .employee
        case .securityAdmin: .securityAdmin
        }
    }

    /// The outcome for the JSON output.
    var outcome: String {
        switch self {
        case .admin: "appointed"
        case .employee: "dismissed"
        case .securityAdmin: "succeeded"
        }
    }

    /// The sentence about the result, which is true also if the employee already had the role.
    func result(for employee: String) -> String {
        switch self {
        case .admin: "\(employee) is an admin."
        case .employee: "\(employee) is no admin."
        case .securityAdmin: "\(employee) is the security admin."
        }
    }

    /// The consequence to show before the person agrees.
    func consequence(for employee: String, in company: String) -> String {
        switch self {
        case .admin:
            """
            \(employee) becomes an admin of \(company), who authorizes and revokes devices, approves and cancels employees,
            invites people, and opens or confirms recoveries.
            """
        case .employee: "\(employee) is no admin of \(company) any more, and decides nothing from then on."
        case .securityAdmin:
            """
            \(employee) becomes the security admin of \(company) in your place. You are an ordinary employee then,
            and cannot take it back. The device that will speak for them is
            """
        }
    }

    var question: String {
        switch self {
        case .admin: "Appoint them? [y/N] "
        case .employee: "Dismiss them? [y/N] "
        case .securityAdmin: "Has the person whom you know read out the same? [y/N] "
        }
    }
}
