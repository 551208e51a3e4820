import ArgumentParser
import Foundation
import TenureClient

/// The options of every command that is a client.
struct ClientOptions: ParsableArguments {
    @OptionGroup var settings: SettingsOptions

    @Option(help: ArgumentHelp("Where this device's keys and sessions are.", valueName: "directory"))
    var dataDirectory: String?

    @Flag(help: "A JSON object.")
    var json = false

    /// The client that the settings describe.
    func client() async throws -> TenureClient {
        let settings = try await settings.settings()
        let hint = "For the service of make run: . .tenure/dev.env"
        let url = try settings.required(.url, remedy: hint)
        try Self.requireTLS(url, allowed: try settings.flag(.clearTextAllowed))
        let app = AppCredentials(
            appId: try settings.required(.appId, remedy: hint),
            appSecret: try settings.required(.appSecret, remedy: hint), appSalt: settings.text(.appSalt) ?? "",
            baseURL: url)
        return try TenureClient(
            appCredentials: app, issuer: settings.text(.issuer),
            keyStore: dataDirectory.map { FileDeviceKeyStore(directory: $0 + "/keys") } ?? PlatformKeyStore.standard(),
            sessionStore: dataDirectory.map { FileSessionStore(directory: $0 + "/sessions") }
                ?? PlatformSessionStore.standard(), pinStore: FilePinStore(path: dataDirectory.map { $0 + "/pins" }))
    }

    /// The account that was used last on this device.
    var lastAccount: LastAccount { LastAccount(directory: dataDirectory ?? LastAccount.standardDirectory) }

    /// Secrets go in the clear to this machine alone.
    private static func requireTLS(_ url: String, allowed: Bool) throws {
        guard let address = URLComponents(string: url), let scheme = address.scheme?.lowercased(),
            let host = address.host, ["http", "https"].contains(scheme)
        else { throw CommandFailure(.usage, "TENURE_URL is no address of a service: \(url)") }
        guard scheme == "https" || allowed || ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host) else {
            throw CommandFailure(
                .usage, "\(url) would carry secrets in the clear",
                remedy: "Use https, or set TENURE_CLEAR_TEXT_ALLOWED=true on a network that you trust.")
        }
    }
}
