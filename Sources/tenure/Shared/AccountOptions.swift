import ArgumentParser
import TenureClient

/// The arguments that name an account of this device, and the options of every command of a client.
struct AccountOptions: ParsableArguments {
    @Argument(help: "The company's name. Default: the last account used here.")
    var company: String?

    @Argument(help: "The employee's id. Default: the last account used here.")
    var employee: String?

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if company != nil && employee == nil { throw ValidationError("Give the employee's id after the company.") }
    }

    /// The names of the account; `nil` if none is given and none was used on this device.
    func names() -> (company: String, employee: String)? {
        let last = options.lastAccount.name()
        guard let company = company ?? last?.companyName, let employee = employee ?? last?.companyEmployeeId else {
            return nil
        }
        return (company, employee)
    }

    /// The session of the account on this device, or of the admin who asks about it, with the account's names.
    ///
    /// - Throws: ``TenureClientError`` if there is none.
    func session(
        of admin: String? = nil, _ client: TenureClient
    ) async throws -> (session: EmployeeSession, company: String, employee: String) {
        guard let names = names(),
            let session = try await client.session(
                companyName: names.company, companyEmployeeId: admin ?? names.employee)
        else { throw TenureClientError(.notLoggedIn) }
        return (session, names.company, names.employee)
    }
}
