import ArgumentParser
import IdentityService

/// What the operator decides about a company.
struct CompanyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "company", abstract: "Companies.", subcommands: [CompanyConfirmDomain.self, CompanySucceed.self])
}

/// Confirms that a company controls the domain that is its name.
struct CompanyConfirmDomain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm-domain",
        abstract: "Record that a company controls the domain that is its name.",
        discussion: """
            Only then may the company reclaim e-mail addresses of that domain. Look first: whoever registered first \
            chose the name.
            """)

    @Argument(help: "The company's name.")
    var company: String

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let company = company
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.confirmDomain(company: company)
        }
        Output.standardError().line("Confirmed.")
    }
}
