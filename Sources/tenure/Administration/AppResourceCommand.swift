import ArgumentParser
import FoundationEssentials
import IdentityService

/// The app and the resource that a command is about.
struct AppResourceOptions: ParsableArguments {
    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @Argument(
        help: "The resource: an absolute URI without a fragment, at most 255 bytes, such as https://api.example.com/.")
    var uri: String
}

/// Registers a resource of an app.
struct AppAddResource: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-resource", abstract: "Register a URI that access tokens can be meant for (RFC 8707).",
        discussion: """
            An employee who logged in through the app can then request a token whose audience is this URI. The URI is \
            compared byte by byte: register it exactly as the verifier expects it. An app has at most 32.

            Example:
              tenure app add-resource 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f https://api.example.com/
            """)

    @OptionGroup var resource: AppResourceOptions

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let (app, uri) = (resource.app, resource.uri)
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.addResource(appId: app, resource: uri)
        }
        Output.standardError().line("Added.")
    }
}

/// Removes a resource of an app.
struct AppRemoveResource: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-resource", abstract: "Remove a URI that access tokens can be meant for.",
        discussion: """
            Introspection refuses tokens for the URI from then on. Whoever verifies tokens without introspection \
            accepts those already issued until they expire, five minutes at most. No session ends.

            Example:
              tenure app remove-resource 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f https://api.example.com/
            """)

    @OptionGroup var resource: AppResourceOptions

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let (app, uri) = (resource.app, resource.uri)
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.removeResource(appId: app, resource: uri)
        }
        Output.standardError().line("Removed.")
    }
}
