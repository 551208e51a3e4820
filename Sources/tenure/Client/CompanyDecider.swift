import ArgumentParser
import TenureClient

/// Who decides on this device about other people of a company.
struct CompanyDecider: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Who you are, logged in here; by default the last one, where that is of this company.",
            valueName: "employee"))
    var employee: String?

    @OptionGroup var options: ClientOptions

    /// The session of whoever decides.
    func session(_ company: String, _ client: TenureClient) async throws -> EmployeeSession {
        let last = options.lastAccount.name().flatMap { last in
            // One company may be written in many ways.
            client.account(companyName: last.companyName, companyEmployeeId: "")
                == client.account(companyName: company, companyEmployeeId: "") ? last.companyEmployeeId : nil
        }
        guard let employee = employee ?? last else {
            throw CommandFailure(.usage, "who decides is not known", remedy: "Name yourself with --as.")
        }
        guard let session = try await client.session(companyName: company, companyEmployeeId: employee) else {
            throw TenureClientError(.notLoggedIn)
        }
        return session
    }
}
