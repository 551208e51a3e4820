import ArgumentParser
import Foundation
import TenureClient

/// The commands of an employee on this device, which call the service over HTTP.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Act as an employee: register, log in, manage credentials and devices, decide about others.",
        discussion: """
            TENURE_URL, TENURE_APP_ID and TENURE_APP_SECRET, or the file of --config, name the service and the app; \
            . .tenure/dev.env sets them for a development service. Answers, passphrases and PINs are read from the \
            terminal only, without echo.

            Examples:
              . .tenure/dev.env
              tenure client register pier.example bo bo@pier.example
            """,
        subcommands: [
            ClientRegister.self, ClientLogin.self, ClientAuthorize.self, ClientChangeCredentials.self,
            ClientRecover.self, ClientReturn.self, ClientRecoveries.self, ClientRole.self, ClientInvite.self,
            ClientDecide.self, ClientReclaim.self, ClientPolicy.self, ClientDevices.self, ClientRevoke.self,
            ClientPin.self, ClientWhoAmI.self, ClientFind.self, ClientCompanies.self, ClientToken.self,
            ClientLogout.self, ClientVerifyEmail.self,
        ])
}

/// The options of every client command.
struct ClientOptions: ParsableArguments {
    @OptionGroup var settings: SettingsOptions

    @Option(help: ArgumentHelp("The directory of this device's keys and sessions.", valueName: "directory"))
    var dataDirectory: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    /// Creates the client from the settings.
    func client() async throws -> TenureClient {
        let settings = try await settings.settings()
        let hint = "For the service of make run: . .tenure/dev.env"
        let url = try Self.address(
            try settings.required(.url, remedy: hint), clearTextAllowed: try settings.flag(.clearTextAllowed))
        let app = AppCredentials(
            appId: try settings.required(.appId, remedy: hint),
            appSecret: try settings.required(.appSecret, remedy: hint), appSalt: settings.text(.appSalt) ?? "",
            baseURL: url)
        return try TenureClient(
            appCredentials: app, issuer: settings.text(.issuer),
            keyStore: dataDirectory.map { FileDeviceKeyStore(directory: $0 + "/keys") } ?? PlatformKeyStore.standard(),
            sessionStore: dataDirectory.map { FileSessionStore(directory: $0 + "/sessions") }
                ?? PlatformSessionStore.standard(), pinStore: FilePinStore(path: dataDirectory.map { $0 + "/pins" }),
            languages: ShellLanguages.preferred())
    }

    /// The account that was last used on this device.
    var lastAccount: LastAccount { LastAccount(directory: dataDirectory ?? LastAccount.standardDirectory) }

    /// The address of the service, with scheme and host in lower case, so that keys and sessions are found again.
    ///
    /// - Throws: ``CommandFailure`` for what is no address, for one with the path of the API, and for clear text, except
    ///   on loopback or if it is permitted.
    static func address(_ url: String, clearTextAllowed: Bool) throws -> String {
        guard var address = URLComponents(string: url), let scheme = address.scheme?.lowercased(),
            let host = address.host?.lowercased(), ["http", "https"].contains(scheme)
        else { throw CommandFailure(.usage, "TENURE_URL is not the address of a service: \(url)") }
        guard scheme == "https" || clearTextAllowed || ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host) else {
            throw CommandFailure(
                .usage, "\(url) would send secrets in clear text",
                remedy: "Use https, or set TENURE_CLEAR_TEXT_ALLOWED=true on a network that you trust.")
        }
        guard !address.path.contains(/\/v1\/?$/) else {
            throw CommandFailure(
                .usage, "TENURE_URL ends with /v1, which every call adds itself", remedy: "Remove /v1 from it.")
        }
        guard scheme != address.scheme || host != address.host else { return url }
        (address.scheme, address.host) = (scheme, host)
        return address.string ?? url
    }
}

/// The options that select the account that decides about other people of a tenant.
struct CompanyDecider: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The account that decides; it must be logged in here. Default: the last account used, if of this company.",
            valueName: "employee"))
    var employee: String?

    @OptionGroup var options: ClientOptions

    /// Returns the session of the account that decides.
    func session(_ company: String, _ client: TenureClient) async throws -> EmployeeSession {
        let last = options.lastAccount.name().flatMap { last in
            // Different spellings can name the same tenant.
            client.account(companyName: last.companyName, companyEmployeeId: "")
                == client.account(companyName: company, companyEmployeeId: "") ? last.companyEmployeeId : nil
        }
        guard let employee = employee ?? last else {
            throw CommandFailure(.usage, "no account decides", remedy: "Name your account with --as.")
        }
        guard let session = try await client.session(companyName: company, companyEmployeeId: employee) else {
            throw TenureClientError(.notLoggedIn)
        }
        return session
    }
}

/// The preferred language from a shell's environment.
enum ShellLanguages {
    /// Returns the language tag of the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set; empty for `C` and
    /// `POSIX`.
    static func preferred(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> [String] {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let name = set?.prefix(while: { $0 != "." && $0 != "@" }), name != "C", name != "POSIX" else { return [] }
        return [String(name).replacing("_", with: "-")]
    }
}
