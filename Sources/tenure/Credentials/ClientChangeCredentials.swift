import ArgumentParser
import TenureClient

/// Changes a user's questions and passphrase.
struct ClientChangeCredentials: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-credentials",
        abstract: "Change your questions, and set, change or remove your passphrase.",
        discussion: """
            The command asks for your current answers or passphrase, then for five new questions with answers and an \
            optional passphrase. They replace the current ones. All your other sessions end, in every company. This \
            device must be authorized; it needs no session.

            Example:
              tenure client change-credentials
            """)

    @OptionGroup var account: AccountOptions

    func run() async throws {
        let client = try await account.options.client()
        guard let (company, employee) = account.names() else { throw TenureClientError(.notLoggedIn) }
        let words = Output.standardError()
        let outcome = try await Interruption.stopping {
            let step = try await client.changeCredentials(companyName: company, companyEmployeeId: employee)
            words.line("First what is in force for \(Printable.text(employee)) of \(Printable.text(company)).")
            return try await client.complete(step, asking: TerminalPrompts(languages: ShellLanguages.preferred()))
        }
        try OutcomeReport(
            outcome, greeting: "Your credentials are changed, and your other sessions have ended.",
            credentials: try await client.credentialsFingerprint(companyName: company, companyEmployeeId: employee)
        ).write(account.options)
    }
}
