import ArgumentParser

/// The service from the outside, as an employee on this device.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Register, log in, decide about others, change and recover credentials, as an employee here.",
        discussion: """
            The service and the app come from TENURE_URL, TENURE_APP_ID and TENURE_APP_SECRET, or from the file of \
            --config; . .tenure/dev.env sets them for a development service. Answers and passphrases are typed at the \
            terminal, hidden, and taken from nowhere else.
            """,
        subcommands: [
            ClientRegister.self, ClientLogin.self, ClientAuthorize.self, ClientChangeCredentials.self,
            ClientRecover.self, ClientRecoveries.self, ClientRole.self, ClientDevices.self, ClientWhoAmI.self,
        ])
}
