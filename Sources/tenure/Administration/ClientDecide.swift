import ArgumentParser
import Canonical
import Credentials
import TenureClient

/// Approves, cancels or reinstates an employee, or ends all of their sessions.
struct ClientDecide: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide", abstract: "Approve, cancel or reinstate an employee, or end their sessions.",
        discussion: """
            This device's key signs and must carry the role of an admin. Only the security admin decides about an \
            admin. A cancellation revokes device keys, sessions and an admin's role; a reinstatement restores none of \
            them.

            Examples:
              tenure client decide bayunsystems.com 1042 approve
              tenure client decide bayunsystems.com 1042 cancel --note "left in June" --yes
            """)

    /// The decisions by their names on the command line.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case approve, cancel, reinstate
        case endSessions = "end-sessions"

        var action: EmployeeStatement.Action {
            switch self {
            case .approve: .approve
            case .cancel: .cancel
            case .reinstate: .reinstate
            case .endSessions: .endSessions
            }
        }

        var done: String {
            switch self {
            case .approve: "is approved"
            case .cancel: "is cancelled: device keys, sessions and roles have ended"
            case .reinstate: "is reinstated, and needs a newly authorized device key"
            case .endSessions: "has no open session any more"
            }
        }
    }

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id.")
    var employee: String

    @Argument(help: "The decision.")
    var decision: Choice

    @Option(help: "A note for the log, at most 1,024 bytes.")
    var note: String?

    @Flag(help: "Do not ask for confirmation of a cancellation.")
    var yes = false

    @OptionGroup var decider: CompanyDecider

    func run() async throws {
        let client = try await decider.options.client()
        let command = self
        let position = try await Interruption.stopping {
            let session = try await command.decider.session(command.company, client)
            try await command.confirm()
            return try await session.decide(
                command.decision.action, about: command.employee, note: command.note)
        }
        guard decider.options.json else {
            return Output.standardError().line("\(Printable.text(employee)) \(decision.done).")
        }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": .string(decision.rawValue), "companyName": .string(company),
                    "companyEmployeeId": .string(employee), "position": position.map(JSONValue.integer),
                ])))
    }

    private func confirm() async throws {
        guard decision == .cancel, !yes else { return }
        let question = "Cancel \(Printable.text(employee))? Device keys, sessions and roles end. [y/N] "
        let isConfirmed: Bool
        do { isConfirmed = try await TerminalPrompts.confirms(question) } catch {
            guard let failure = error as? TenureClientError, failure.kind == .promptUnavailable else { throw error }
            throw CommandFailure(.usage, "there is no terminal to ask for confirmation", remedy: "Pass --yes.")
        }
        guard isConfirmed else { throw CommandFailure(.cancelled, "nothing was changed") }
    }
}

/// Reclaims an address in the tenant's confirmed domain.
struct ClientReclaim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reclaim", abstract: "Reclaim an e-mail address in the company's confirmed domain.",
        discussion: """
            The current user of the address loses it, and their account in this company is cancelled. This device's \
            key signs. The operator confirms a domain with `tenure company confirm-domain`.

            Example:
              tenure client reclaim bayunsystems.com alice@bayunsystems.com --reason "left in June"
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The address.")
    var email: String

    @Option(help: "The reason for the log, in words.")
    var reason: String

    @OptionGroup var decider: CompanyDecider

    func run() async throws {
        let client = try await decider.options.client()
        let command = self
        let position = try await Interruption.stopping {
            try await command.decider.session(command.company, client).reclaim(
                email: command.email, reason: command.reason)
        }
        guard decider.options.json else { return Output.standardError().line("The address is free again.") }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": "reclaimed", "companyName": .string(company), "email": .string(email),
                    "position": position.map(JSONValue.integer),
                ])))
    }
}
