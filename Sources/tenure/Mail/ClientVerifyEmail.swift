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

    @OptionGroup var account: AccountOptions

    func run() async throws {
        let client = try await account.options.client()
        let session = try await account.session(client).session
        let outcome = try await Interruption.stopping { try await session.verifyEmail() }
        let output = Output.standardOutput()
        guard !account.options.json else {
            return try output.write(JSONLines.line(.object(["outcome": .string(outcome.rawValue)])))
        }
        switch outcome {
        case .sent: try output.write("A mail is on its way. Open its link within 24 hours.\n")
        case .verified: try output.write("The address is verified.\n")
        }
    }
}
