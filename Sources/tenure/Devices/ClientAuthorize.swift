import ArgumentParser
import Canonical
import Credentials
import TenureAPI
import TenureClient

/// Authorizes an employee's pending device key.
struct ClientAuthorize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorize", abstract: "Authorize an employee's pending device key.",
        discussion: """
            Compare the words with those that the device shows. An authorized device may act for the employee \
            from then on. Without a terminal, pass the expected fingerprint with --fingerprint.

            Examples:
              tenure client authorize harbour.example bruno
              tenure client authorize harbour.example bruno --as anna
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The id of the employee whose device key is pending.")
    var employee: String

    @Option(help: "The fingerprint that the device shows; spaces are ignored.")
    var fingerprint: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Decide as this admin, who is logged in here. Default: the app decides.", valueName: "employee"))
    var approver: String?

    @OptionGroup var options: ClientOptions

    func run() async throws {
        let client = try await options.client()
        let (company, employee, approver, fingerprint) = (company, employee, approver, fingerprint)
        let decided = try await Interruption.stopping {
            let admin = try await Self.session(of: approver, company, client)
            let key = try await Self.waitingKey(of: employee, company, fingerprint, admin, client)
            if fingerprint == nil { try await Self.compare(key, employee) }
            let position = try await Self.authorize(key, employee, company, admin, client)
            return (fingerprint: key.fingerprint, position: position)
        }
        try report(decided.fingerprint, decided.position)
    }

    private static func session(
        of approver: String?, _ company: String, _ client: TenureClient
    ) async throws -> EmployeeSession? {
        guard let approver else { return nil }
        guard let session = try await client.session(companyName: company, companyEmployeeId: approver) else {
            throw TenureClientError(.notLoggedIn)
        }
        return session
    }

    /// Returns the employee's only pending key, or the one with the given fingerprint.
    private static func waitingKey(
        of employee: String, _ company: String, _ fingerprint: String?, _ admin: EmployeeSession?,
        _ client: TenureClient
    ) async throws -> EmployeeKeyResponse {
        let read =
            if let admin {
                try await admin.withAuthority { try await client.employee(employee, of: company, as: $0) }
            } else { try await client.employee(employee, of: company) }
        let waiting = (read.keys ?? []).filter { $0.state == "pending" && hasTrueFingerprint($0) }
        let wanted = fingerprint.map { text in text.filter { !$0.isWhitespace }.lowercased() }
        let matching = waiting.filter { wanted == nil || $0.fingerprint == wanted }
        guard let key = matching.first else {
            throw CommandFailure(
                .notFound,
                wanted == nil
                    ? "no device key of \(employee) is pending" : "no device key with that fingerprint is pending")
        }
        guard matching.count == 1 else {
            throw CommandFailure(
                .failure, "\(matching.count) device keys of \(employee) are pending",
                remedy: "Name one with --fingerprint: "
                    + matching.map {
                        "\(Fingerprint.readable($0.fingerprint)) (\(FingerprintWords(hex: $0.fingerprint).text))"
                    }
                    .joined(separator: ", "))
        }
        return key
    }

    /// Whether the fingerprint matches the key. People compare the fingerprint, so it is not taken on trust.
    private static func hasTrueFingerprint(_ key: EmployeeKeyResponse) -> Bool {
        (try? EmployeePublicKey(bytes: key.employeePublicKey))?.fingerprint == key.fingerprint
    }

    private static func compare(_ key: EmployeeKeyResponse, _ employee: String) async throws {
        let words = Output.standardError()
        words.line(
            "A device of \(Printable.text(employee)) has been pending since \(TimeText.short(key.presentedAt)):\n")
        words.line(Fingerprint.compared(key.fingerprint, on: words.terminal))
        guard try await TerminalPrompts.confirms("Does the device show the same? [y/N] ") else {
            throw CommandFailure(.cancelled, "nothing was authorized")
        }
    }

    private static func authorize(
        _ key: EmployeeKeyResponse, _ employee: String, _ company: String, _ admin: EmployeeSession?,
        _ client: TenureClient
    ) async throws -> Int64? {
        let step = try await client.authorize(
            employeePublicKey: Base64.encode(key.employeePublicKey), companyName: company, companyEmployeeId: employee,
            as: admin)
        switch step {
        case .authorized(let position): return position
        case .confirm(let confirmation): return try await confirmation.sign()
        }
    }

    private func report(_ fingerprint: String, _ position: Int64?) throws {
        guard options.json else { return Output.standardError().line("Authorized.") }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": "authorized", "companyName": .string(company), "companyEmployeeId": .string(employee),
                    "fingerprint": .string(fingerprint), "position": position.map(JSONValue.integer),
                ])))
    }
}
