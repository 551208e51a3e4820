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

    @OptionGroup var account: AccountOptions

    @Flag(help: "End your sessions on all devices.")
    var everywhere = false

    func run() async throws {
        let client = try await account.options.client()
        let (session, company, employee) = try await account.session(client)
        let everywhere = everywhere
        try await Interruption.stopping {
            if everywhere { try await session.endAllSessions() } else { try await session.logOut() }
        }
        guard account.options.json else {
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
