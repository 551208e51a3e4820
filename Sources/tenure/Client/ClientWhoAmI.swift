import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Asks the service who is logged in on this device.
struct ClientWhoAmI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show who is logged in on this device, as the service sees it.")

    @Argument(help: "The company's name; the last one by default.")
    var company: String?

    @Argument(help: "The employee's id; the last one by default.")
    var employee: String?

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if company != nil && employee == nil { throw ValidationError("A company needs the employee's id.") }
    }

    func run() async throws {
        let client = try await options.client()
        let last = options.lastAccount.name()
        guard let company = company ?? last?.companyName, let employee = employee ?? last?.companyEmployeeId,
            let session = try await client.session(companyName: company, companyEmployeeId: employee)
        else { throw TenureClientError(.notLoggedIn) }
        let seen = try await Interruption.stopping {
            let sessions = try await session.openSessions()
            return (sessions: sessions, employee: try await client.employee(employee, of: company))
        }
        let fingerprint = try await client.fingerprint(of: session.account)
        let credentials = try await client.credentialsFingerprint(companyName: company, companyEmployeeId: employee)
        let own = seen.employee.keys?.first { $0.fingerprint == fingerprint }
        let current = seen.sessions.first(where: \.isCurrent)
        write(
            seen.employee, own, current, others: seen.sessions.count - (current == nil ? 0 : 1),
            credentials: credentials)
    }

    private func write(
        _ employee: EmployeeResponse, _ key: EmployeeKeyResponse?, _ session: OpenSessionResponse?, others: Int,
        credentials: String?
    ) {
        let output = Output.standardOutput()
        guard !options.json else {
            return output.write(
                JSONLines.line(
                    .objectOmittingNil([
                        "companyName": .string(employee.companyName),
                        "companyEmployeeId": employee.companyEmployeeId.map(JSONValue.string),
                        "status": .string(employee.status), "role": .string(employee.role),
                        "email": employee.email.map(JSONValue.string),
                        "fingerprint": key.map { .string($0.fingerprint) }, "keyState": key.map { .string($0.state) },
                        "credentials": credentials.map(JSONValue.string),
                        "sessionExpiresAt": session.map { .timestamp($0.expiresAt) },
                        "otherSessions": .integer(Int64(others)),
                    ])))
        }
        output.write(
            Facts([
                ("Employee", employee.companyEmployeeId ?? ""), ("Company", employee.companyName),
                ("Role", employee.role), ("Status", employee.status), ("E-mail", employee.email ?? ""),
                ("Device", key.map { "\(Fingerprint.readable($0.fingerprint)) (\($0.state))" } ?? "unknown here"),
                ("Credentials", credentials.map(Fingerprint.readable) ?? "not pinned here"),
                ("Session", session.map { "until \(TimeText.short($0.expiresAt))" } ?? "none"),
                ("Elsewhere", others == 0 ? "no other session" : "\(others) more"),
            ]).rendered(on: output.terminal))
    }
}
