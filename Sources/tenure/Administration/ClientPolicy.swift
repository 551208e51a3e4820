import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Shows and changes the policy of a tenant.
struct ClientPolicy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Show and change the policy of a company.",
        discussion: """
            Examples:
              tenure client policy show bayunsystems.com
              tenure client policy set bayunsystems.com logIn=passkeyOrSecret
            """, subcommands: [ClientPolicyShow.self, ClientPolicySet.self])
}

/// Shows the policy in force.
struct ClientPolicyShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the policy of a company. For admins.",
        discussion: """
            Each line is a value as `tenure client policy set` takes it. Admins who lose the role under \
            adminsNeedPasskey are named after them.

            Example:
              tenure client policy show bayunsystems.com --json
            """)

    @Argument(help: "The company's name.")
    var company: String

    @OptionGroup var decider: CompanyDecider

    func run() async throws {
        let client = try await decider.options.client()
        let command = self
        let policy = try await Interruption.stopping {
            try await command.decider.session(command.company, client).policy()
        }
        let output = Output.standardOutput()
        guard !decider.options.json else { return try output.write(JSONLines.line(policy.json)) }
        for line in Self.lines(policy) { try output.line(line) }
        guard !policy.adminsWithoutPasskey.isEmpty else { return }
        let names = policy.adminsWithoutPasskey.map { Printable.text($0) }.joined(separator: ", ")
        Output.standardError().line("Admins without a passkey: \(names).")
    }

    /// The settings as `name=value`, in the order of their names.
    static func lines(_ policy: PolicyResponse) -> [String] {
        guard case .object(let members) = policy.json else { return [] }
        return members.sorted { $0.key < $1.key }.compactMap { name, value in
            switch value {
            case .string(let text): "\(name)=\(Printable.text(text))"
            case .bool(let flag): "\(name)=\(flag)"
            case .integer(let number) where name != "version": "\(name)=\(number)"
            default: nil
            }
        }
    }
}

/// Changes values of the policy.
struct ClientPolicySet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the policy of a company. For the security admin.",
        discussion: """
            This device's key signs the whole new policy, within ten minutes after a log-in. logIn=passkey and \
            adminsNeedPasskey need the signature of a passkey: change them in the browser.

            Examples:
              tenure client policy set bayunsystems.com registrationMode=invited recoveryDelayHours=48
              tenure client policy set bayunsystems.com clonedKey=stop
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: ArgumentHelp("The new values; the others stay as they are.", valueName: "name=value"))
    var settings: [String]

    @OptionGroup var decider: CompanyDecider

    func validate() throws { _ = try Self.change(settings) }

    func run() async throws {
        let client = try await decider.options.client(), change = try Self.change(settings)
        let command = self
        let position = try await Interruption.stopping {
            try await command.decider.session(command.company, client).changePolicy(change)
        }
        guard decider.options.json else {
            return Output.standardError().line(position == nil ? "The policy has these values." : "Changed.")
        }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": "changed", "companyName": .string(company), "position": position.map(JSONValue.integer),
                ])))
    }

    /// The change that `name=value` pairs describe.
    ///
    /// - Throws: `ValidationError` for a pair without `=`, a name that is given twice or unknown, and a value that the
    ///   name does not take.
    static func change(_ settings: [String]) throws -> PolicyChangeRequest {
        var members: [String: JSONValue] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw ValidationError("\(setting) is not of the form name=value.") }
            let value: JSONValue =
                Bool(parts[1]).map(JSONValue.bool) ?? Int64(parts[1]).map(JSONValue.integer)
                ?? .string(parts[1])
            guard parts[0] != "signed", members.updateValue(value, forKey: parts[0]) == nil else {
                throw ValidationError("\(parts[0]) is given twice, or is no setting.")
            }
        }
        do { return try PolicyChangeRequest(json: .object(members), at: "") } catch {
            throw ValidationError("\(error.pointer.dropFirst())\(error.pointer.isEmpty ? "" : ": ")\(error.reason).")
        }
    }
}
