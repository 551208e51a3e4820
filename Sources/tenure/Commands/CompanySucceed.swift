import ArgumentParser
import IdentityService

/// Makes an employee the security admin of a company whose present one is lost.
struct CompanySucceed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "succeed",
        abstract: "Make an employee the security admin, when the present one is lost.",
        discussion: """
            While the present one is there, they decide this themselves: POST …/employees/{companyEmployeeId}/role. The \
            event says that the operator decided, and the chain of signatures begins anew with it.
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id in that company.")
    var companyEmployeeId: String

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let (company, employee) = (company, companyEmployeeId)
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.succeedSecurityAdmin(of: company, by: employee)
        }
        Output.standardError().line("Done. The employee is the security admin now.")
    }
}
