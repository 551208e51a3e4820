import ArgumentParser
import Canonical
import TenureClient

/// Ends the session on this device and forgets it.
struct ClientLogout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End the session on this device and forget it, or end all your sessions.",
        discussion: """
            The service ends the session at once, and this device removes its tokens. The device key stays authorized, \
            so that you can log in again. To end the key as well, use tenure client devices --revoke.

            Examples:
              tenure client logout
              tenure client logout harbour.example anna --everywhere
            """)

    @Argument(help: "The company's name. Default: the last account used here.")
    var company: String?

    @Argument(help: "The employee's id. Default: the last account used here.")
    var employee: String?

    @Flag(help: "End your sessions on all devices.")
    var everywhere = false

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
        let everywhere = everywhere
        try await Interruption.stopping {
            if everywhere { try await session.endAllSessions() } else { try await session.logOut() }
        }
        guard options.json else {
            return Output.standardError().line(
                "\(Printable.text(employee)) is logged out \(everywhere ? "on all devices" : "on this device").")
        }
        try Output.standardOutput().write(
            JSONLines.line([
                "outcome": "loggedOut", "companyName": .string(company), "companyEmployeeId": .string(employee),
                "everywhere": .bool(everywhere),
            ]))
    }
}
