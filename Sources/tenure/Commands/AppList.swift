import ArgumentParser
import Canonical
import FoundationEssentials
import IdentityService

/// Lists the apps.
struct AppList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the apps with the secrets that are in force.")

    @OptionGroup var options: SettingsOptions

    @Flag(help: "One JSON object for each app.")
    var json = false

    func run() async throws {
        let apps = try await OperatorSession.run(try await options.settings()) { try await $0.apps() }
        let output = Output.standardOutput()
        if json {
            for app in apps { output.write(JSONLines.line(Self.json(app))) }
            return
        }
        var table = Table([
            .init(title: "App"), .init(title: "Name"), .init(title: "Secret"), .init(title: "Roles"),
        ])
        for app in apps {
            table.add([app.appId.lowercased, app.name, app.secrets.isEmpty ? "none in force" : ""])
            for secret in app.secrets {
                table.add([
                    "", "", secret.secretId.lowercased, secret.roles.map { $0.uppercased() }.joined(separator: " "),
                ])
            }
        }
        output.write(table.rendered(on: output.terminal))
    }

    private static func json(_ app: OperatorCommands.AppView) -> JSONValue {
        let secrets = app.secrets.map { secret in
            JSONValue.object([
                "secretId": .string(secret.secretId.lowercased),
                "roles": .array(secret.roles.map { .string($0.uppercased()) }),
            ])
        }
        return .object([
            "appId": .string(app.appId.lowercased), "name": .string(app.name), "secrets": .array(secrets),
        ])
    }
}
