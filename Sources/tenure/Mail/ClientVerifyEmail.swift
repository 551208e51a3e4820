import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Asks for a mail that verifies the address of the account that is logged in on this device.
struct ClientVerifyEmail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-email", abstract: "Have a mail sent that verifies your e-mail address.",
        discussion: """
            Example:
              tenure client verify-email
            """)

    @Argument(help: "The company's name. Default: the last account used here.")
    var company: String?

    @Argument(help: "The employee's id. Default: the last account used here.")
    var employee: String?

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if company != nil && employee == nil { throw ValidationError("Give the employee's id after the company.") }
    }

    func run() async throws {
        let client = try await options.client()
        let last = options.lastAccount.name()
        guard let company = company ?? last?.companyName, let employee = employee ?? last?.companyEmployeeId,
            let session = try await client.session(companyName: company, companyEmployeeId: employee)
        else { throw TenureClientError(.notLoggedIn) }
        let outcome = try await Interruption.stopping { try await session.verifyEmail() }
        let output = Output.standardOutput()
        guard !options.json else {
            return try output.write(JSONLines.line(.object(["outcome": .string(outcome.rawValue)])))
        }
        switch outcome {
        case .sent: try output.write("A mail is on its way. Open its link within 24 hours.\n")
        case .verified: try output.write("The address is verified.\n")
        }
    }
}
