import ArgumentParser
import FoundationEssentials
import IdentityService

/// Issues a further secret with the roles of an old one.
struct AppRotateSecret: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-secret", abstract: "Issue a new secret with the roles of an old one.",
        discussion: """
            The old secret stays in force, so that nothing stops while the new one is rolled out; end it with \
            app revoke-secret.
            """)

    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @Argument(help: "The id of the secret whose roles the new one gets.", transform: UUID.argument)
    var secret: UUID

    @OptionGroup var options: SettingsOptions

    @Flag(help: "A JSON object.")
    var json = false

    func run() async throws {
        let (app, secret) = (app, secret)
        let issued = try await OperatorSession.run(try await options.settings()) { commands in
            guard let found = try await commands.apps().first(where: { $0.appId == app }) else {
                throw CommandFailure(.notFound, "there is no such app")
            }
            guard let old = found.secrets.first(where: { $0.secretId == secret }) else {
                throw CommandFailure(.notFound, "the app has no such secret in force")
            }
            return try await commands.issueSecret(
                appId: app, roles: Set(old.roles.map(CallerRole.argument)))
        }
        IssuedSecretReport(issued).write(json: json)
    }
}

/// Ends a secret.
struct AppRevokeSecret: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-secret", abstract: "End a secret at once, and for good.")

    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @Argument(help: "The secret's id.", transform: UUID.argument)
    var secret: UUID

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let (app, secret) = (app, secret)
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.revokeSecret(appId: app, secretId: secret)
        }
        Output.standardError().line("Revoked.")
    }
}
