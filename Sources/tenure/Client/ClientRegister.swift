import ArgumentParser
import TenureClient

/// Registers an employee with this device's key.
struct ClientRegister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Register an employee; the first one founds the company.")

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id in the company.")
    var employee: String

    @Argument(help: "The user's e-mail.")
    var email: String

    @Flag(help: "Claim that the e-mail is the company's own.")
    var companyOwnedEmail = false

    @OptionGroup var options: ClientOptions

    func run() async throws {
        let client = try await options.client()
        let (company, employee, email, isOwned) = (company, employee, email, companyOwnedEmail)
        let outcome = try await Interruption.stopping {
            let step = try await client.register(
                companyName: company, companyEmployeeId: employee, email: email, isCompanyOwnedEmail: isOwned)
            return try await client.complete(step, asking: TerminalPrompts())
        }
        try OutcomeReport(outcome).write(options)
    }
}

/// Logs an employee in on this device.
struct ClientLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in; a device that is new here has to be authorized afterwards.")

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
            return try await client.complete(step, asking: TerminalPrompts())
        }
        try OutcomeReport(outcome).write(options)
    }
}
