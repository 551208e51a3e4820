import ArgumentParser
import Canonical
import IdentityService
import TenureAPI
import Text

/// Makes a code with which somebody founds a tenant on the pages.
struct CompanyInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Make a code with which somebody founds a company on the pages.",
        discussion: """
            The code is for one name, and useless once that company exists. The founder becomes its security admin: \
            give the code to nobody else. The pages ask for it if TENURE_FOUNDING is code.

            Needs TENURE_DATABASE_URL and TENURE_MASTER_KEY_FILE. With TENURE_PUBLIC_URL it prints a link as well.

            Example:
              tenure company invite harbour.example --days 3
            """)

    @Argument(help: "The name of the new company.")
    var company: String

    @Option(help: "The lifetime in days, 1 to 30.")
    var days = 7

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard (1...30).contains(days) else { throw ValidationError("--days takes 1 to 30.") }
    }

    func run() async throws {
        let settings = try await options.settings(), company = company, lifetime = Duration.seconds(days * 86_400)
        let made = try await OperatorSession.run(settings) { commands in
            try await commands.foundingCode(for: company, lifetime: lifetime)
        }
        let link = try settings.publicOrigin().map { origin in
            let name = PercentEncoding.encode(company)
            return "\(origin)/register/found#company=\(name)&invitation=\(made.code)"
        }
        let output = Output.standardOutput()
        guard !json else {
            return try output.write(
                JSONLines.line(
                    .objectOmittingNil([
                        "companyName": .string(company), "code": .string(made.code),
                        "expiresAt": .string(made.expiresAt.description), "link": link.map(JSONValue.string),
                    ])))
        }
        let words = Output.standardError()
        words.line(
            "Whoever has this code may found \(Printable.text(company)) on the pages until "
                + "\(TimeText.short(made.expiresAt)):")
        try output.line(made.code)
        if let link { words.line("The link to the page with the code in it: \(link)") }
        if try settings.foundingRule() != .code {
            words.line(
                "The pages ask for codes only if the service runs with \(Settings.Name.founding.variable)=code.")
        }
    }
}
