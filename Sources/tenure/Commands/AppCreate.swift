import ArgumentParser
import Canonical
import FoundationEssentials
import IdentityService

/// Registers an app and issues its first secret.
struct AppCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Register an app and issue its first secret, which is shown once.")

    @Argument(help: "The app's name, unique.")
    var name: String

    @Option(
        name: .customLong("role"), help: "ACCESS, CREATION or AUTHORIZATION; can be given more than once.",
        transform: CallerRole.argument)
    var roles: [CallerRole]

    @OptionGroup var options: SettingsOptions

    @Flag(help: "A JSON object.")
    var json = false

    func run() async throws {
        let (name, roles) = (name, Set(roles))
        let issued = try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.createApp(name: name, roles: roles)
        }
        IssuedSecretReport(issued).write(json: json)
    }
}

extension CallerRole {
    /// Reads a role from the command line.
    static func argument(_ text: String) throws -> CallerRole {
        guard let role = CallerRole(rawValue: text.uppercased()) else {
            throw ValidationError("\(text) is no role; there are ACCESS, CREATION and AUTHORIZATION.")
        }
        return role
    }
}

/// Shows a secret the one time that it can be shown.
struct IssuedSecretReport {
    private let members: [(name: String, value: String)]

    init(_ issued: OperatorCommands.IssuedSecret) {
        members = [
            ("appId", issued.appId.lowercased), ("secretId", issued.secretId.lowercased), ("appSecret", issued.secret),
            ("appSalt", issued.salt),
        ]
    }

    func write(json: Bool) {
        let output = Output.standardOutput()
        if json {
            let object = Dictionary(uniqueKeysWithValues: members.map { ($0.name, JSONValue.string($0.value)) })
            output.write(JSONLines.line(.object(object)))
        } else {
            for (name, value) in members {
                output.line(name + String(repeating: " ", count: 11 - name.count) + value)
            }
            Output.standardError().line("The secret is not stored and cannot be shown again.")
        }
    }
}
