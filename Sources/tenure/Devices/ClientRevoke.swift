import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Revokes a colleague's device key.
struct ClientRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a colleague's device key, as an admin.",
        discussion: """
            This device's key signs and must carry the role of an admin. Only the security admin decides about an \
            admin. A revoked key can never be authorized again, and its sessions end at once. Without --fingerprint the \
            employee must have one authorized key.

            Examples:
              tenure client revoke harbour.example bruno
              tenure client revoke harbour.example bruno --fingerprint "6b1c 0e9f …" --reason stolen --yes
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The id of the employee whose device is lost.")
    var employee: String

    @Option(help: "The fingerprint of the device; spaces are ignored.")
    var fingerprint: String?

    @Option(help: "The reason: a code of a-z, 0-9, point, underscore and hyphen.")
    var reason = "lost"

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var decider: CompanyDecider

    func run() async throws {
        let client = try await decider.options.client()
        let command = self
        let revoked = try await Interruption.stopping {
            let session = try await command.decider.session(command.company, client)
            let read = try await session.withAuthority {
                try await client.employee(command.employee, of: command.company, as: $0)
            }
            let key = try command.chosen(from: (read.keys ?? []).filter { $0.state == "authorized" })
            if !command.yes { try await command.confirm(key) }
            let position = try await session.revokeDevice(
                fingerprint: key.fingerprint, of: command.employee, reason: command.reason)
            return (fingerprint: key.fingerprint, position: position)
        }
        guard decider.options.json else { return Output.standardError().line("Revoked.") }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": "revoked", "companyName": .string(company), "companyEmployeeId": .string(employee),
                    "fingerprint": .string(revoked.fingerprint), "position": revoked.position.map(JSONValue.integer),
                ])))
    }

    /// Returns the employee's only authorized key, or the one with the given fingerprint.
    private func chosen(from keys: [EmployeeKeyResponse]) throws -> EmployeeKeyResponse {
        let wanted = fingerprint.map { text in text.filter { !$0.isWhitespace }.lowercased() }
        let matching = keys.filter { wanted == nil || $0.fingerprint == wanted }
        guard let key = matching.first else {
            throw CommandFailure(.notFound, "no such device key of \(employee) is authorized")
        }
        guard matching.count == 1 else {
            let names = matching.map {
                "\(Fingerprint.readable($0.fingerprint)) (\(FingerprintWords(hex: $0.fingerprint).text))"
            }
            throw CommandFailure(
                .failure, "\(matching.count) device keys of \(employee) are authorized",
                remedy: "Name one with --fingerprint: " + names.joined(separator: ", "))
        }
        return key
    }

    private func confirm(_ key: EmployeeKeyResponse) async throws {
        let words = Output.standardError()
        words.line(
            "The device of \(Printable.text(employee)), authorized since \(TimeText.short(key.decidedAt ?? key.presentedAt)):\n"
        )
        words.line(Fingerprint.compared(key.fingerprint, on: words.terminal))
        let isConfirmed: Bool
        do { isConfirmed = try await TerminalPrompts.confirms("Revoke it for good? [y/N] ") } catch {
            guard let failure = error as? TenureClientError, failure.kind == .promptUnavailable else { throw error }
            throw CommandFailure(.usage, "there is no terminal to ask for confirmation", remedy: "Pass --yes.")
        }
        guard isConfirmed else { throw CommandFailure(.cancelled, "nothing was revoked") }
    }
}
