import ArgumentParser
import TenureAPI
import TenureClient

/// Registers an employee with this device's key.
struct ClientRegister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Register an employee. The first one founds the company.",
        discussion: """
            With --join, a company that does not exist is refused; with --found, one that exists. Pass one of them: a \
            typing error in the company's name then founds nothing.

            Examples:
              tenure client register harbour.example ada ada@harbour.example --found
              tenure client register harbour.example erik erik@harbour.example --join
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id in the company.")
    var employee: String

    @Argument(help: "The user's e-mail address.")
    var email: String

    @Flag(help: "Claim that the e-mail address belongs to the company.")
    var companyOwnedEmail = false

    @Option(help: "The invitation from an admin. Required if the company admits only invited people.")
    var invitation: String?

    @Flag(help: "Register only if the company exists.")
    var join = false

    @Flag(help: "Register only if the company does not exist, and found it.")
    var found = false

    @OptionGroup var options: ClientOptions

    func validate() throws {
        guard !join || !found else { throw ValidationError("Pass either --join or --found.") }
    }

    func run() async throws {
        let client = try await options.client()
        let intent: RegistrationRequest.Intent? = join ? .join : found ? .found : nil
        let (company, employee, email, isOwned) = (company, employee, email, companyOwnedEmail)
        let invitation = invitation
        let outcome = try await Interruption.stopping {
            let step = try await client.register(
                companyName: company, companyEmployeeId: employee, email: email, isCompanyOwnedEmail: isOwned,
                invitation: invitation, intent: intent)
            return try await client.complete(step, asking: TerminalPrompts(languages: ShellLanguages.preferred()))
        }
        try OutcomeReport(outcome).write(options)
    }
}

/// Logs an employee in on this device.
struct ClientLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in. A new device must be authorized afterwards.",
        discussion: """
            Example:
              tenure client login harbour.example erik
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id in the company.")
    var employee: String

    @OptionGroup var options: ClientOptions

    func run() async throws {
        let client = try await options.client()
        let (company, employee) = (company, employee)
        let outcome = try await Interruption.stopping {
            let step = try await client.login(companyName: company, companyEmployeeId: employee)
            return try await client.complete(step, asking: TerminalPrompts(languages: ShellLanguages.preferred()))
        }
        try OutcomeReport(outcome).write(options)
    }
}
