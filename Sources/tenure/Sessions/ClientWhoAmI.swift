import ArgumentParser
import Canonical
import Foundation
import LocalDevelopment
import TenureAPI
import TenureClient

/// Shows the account that is logged in on this device, as the service reports it.
struct ClientWhoAmI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show the account that is logged in on this device.",
        discussion: """
            Examples:
              tenure client whoami
              tenure client whoami harbour.example erik --json
            """)

    @OptionGroup var account: AccountOptions

    func run() async throws {
        let client = try await account.options.client()
        let (session, company, employee) = try await account.session(client)
        let seen = try await Interruption.stopping {
            (
                me: try await session.me(), sessions: try await session.openSessions(),
                employee: try await client.employee(employee, of: company)
            )
        }
        let fingerprint = try await client.fingerprint(of: session.account)
        let credentials = try await client.credentialsFingerprint(companyName: company, companyEmployeeId: employee)
        let own = seen.employee.keys?.first { $0.fingerprint == fingerprint }
        try write(
            seen.me, email: seen.employee.email, own, others: seen.sessions.count { !$0.isCurrent },
            credentials: credentials)
    }

    private func write(
        _ me: MeResponse, email: String?, _ key: EmployeeKeyResponse?, others: Int, credentials: String?
    ) throws {
        let output = Output.standardOutput()
        guard !account.options.json else {
            return try output.write(
                JSONLines.line(
                    .objectOmittingNil([
                        "tenantId": .uuid(me.tenantId), "employeeId": .uuid(me.employeeId),
                        "companyName": .string(me.companyName),
                        "companyEmployeeId": me.companyEmployeeId.map(JSONValue.string),
                        "status": .string(me.status), "role": .string(me.role),
                        "sessionRole": .string(me.session.role), "email": email.map(JSONValue.string),
                        "emailVerified": .bool(me.emailVerified),
                        "fingerprint": key.map { .string($0.fingerprint) }, "keyState": key.map { .string($0.state) },
                        "credentials": credentials.map(JSONValue.string),
                        "sessionExpiresAt": .timestamp(me.session.expiresAt), "appName": .string(me.app.name),
                        "otherSessions": .integer(Int64(others)), "notices": me.notices.json,
                    ])))
        }
        try output.write(
            Facts([
                ("Employee", me.companyEmployeeId ?? ""), ("Company", me.companyName),
                ("Role", Self.role(me)), ("Status", me.status),
                ("E-mail", email.map { me.emailVerified ? "\($0) (verified)" : $0 } ?? ""),
                ("Words", key.map { FingerprintWords(hex: $0.fingerprint).text } ?? ""),
                ("Device", key.map { "\(Fingerprint.readable($0.fingerprint)) (\($0.state))" } ?? "unknown here"),
                ("Credentials", credentials.map(Fingerprint.readable) ?? "not pinned here"),
                ("App", Printable.text(me.app.name)), ("Session", "until \(TimeText.short(me.session.expiresAt))"),
                ("Elsewhere", others == 0 ? "no other session" : "\(others) more"),
            ]).rendered(on: output.terminal))
    }

    /// The role, and whether this device's key carries it.
    private static func role(_ me: MeResponse) -> String {
        me.session.role == me.role ? me.role : "\(me.role), but not with this device"
    }
}

/// Stores which account was last used on this device, so that `whoami` needs no arguments. It stores no secret.
struct LastAccount: Sendable {
    /// An employee of a tenant.
    struct Name: Sendable, Equatable {
        var companyName: String
        var companyEmployeeId: String
    }

    let directory: String

    /// The directory `$XDG_DATA_HOME/tenure`, or `~/.local/share/tenure`.
    static var standardDirectory: String {
        let named = ProcessInfo.processInfo.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (named ?? NSHomeDirectory() + "/.local/share") + "/tenure"
    }

    private var path: String { directory + "/last-account.json" }

    /// Stores a name. The directory exists, because keys and sessions are in it.
    func remember(_ name: Name) throws {
        let value: JSONValue = [
            "companyName": .string(name.companyName), "companyEmployeeId": .string(name.companyEmployeeId),
        ]
        try SecretFile.replace(at: path, with: JSONLines.line(value))
    }

    /// Returns the name, or `nil` if none is stored.
    func name() -> Name? {
        guard let data = FileManager.default.contents(atPath: path), let json = try? StrictJSON.parse(Array(data)),
            var reader = try? ObjectReader(json), let company = try? reader.string("companyName"),
            let employee = try? reader.string("companyEmployeeId")
        else { return nil }
        return Name(companyName: company, companyEmployeeId: employee)
    }
}
