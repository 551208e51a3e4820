import ArgumentParser
import Canonical
import TenureClient
import Text

/// Requests a recovery for someone who has lost every credential. Sets new credentials once two colleagues have
/// approved this device.
struct ClientRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Recover your account after you have lost your answers and your passphrase.",
        discussion: """
            This device creates a key and shows its words. Read them to an admin of your company, who \
            opens the recovery. Another admin confirms it, or you do on a device that is still authorized. The \
            company's waiting time runs from the opening: 24 hours unless it chose another. Nothing has to keep running.

            Afterwards run the same command on this device again. It asks for new questions with answers and for a \
            passphrase, which replace the lost ones. No one else learns them.

            Examples:
              tenure client recover harbour.example bruno
              tenure client recover --wait
            """)

    @OptionGroup var account: AccountOptions

    @Flag(help: "Wait until the recovery is approved and the waiting time is over.")
    var wait = false

    func run() async throws {
        let client = try await account.options.client()
        guard let (company, employee) = account.names() else {
            throw CommandFailure(
                .usage, "no account was used on this device yet", remedy: "Name the company and the employee.")
        }
        let command = self
        let outcome = try await Interruption.stopping {
            let step = try await client.recover(companyName: company, companyEmployeeId: employee)
            guard let approved = try await command.approved(step) else { return nil as FlowOutcome? }
            Output.standardError().line(
                "\nTwo persons have approved this device. What you choose now takes the place of what you lost.")
            return try await client.complete(approved, asking: TerminalPrompts(languages: ShellLanguages.preferred()))
        }
        guard let outcome else { return }
        if !account.options.json {
            Output.standardError().line("\nYour new credentials are set. The old ones open nothing any more.")
        }
        let set = try await client.credentialsFingerprint(companyName: company, companyEmployeeId: employee)
        try OutcomeReport(outcome, credentials: set).write(account.options)
    }

    /// Returns the step that sets credentials; `nil` if the recovery is not approved and the command does not wait.
    private func approved(_ step: RecoveryStep) async throws -> RecoveredCredentialsStep? {
        switch step {
        case .setCredentials(let step): return step
        case .availableLater(let pending, let time):
            try report(pending, availableAt: time)
            guard wait else { return nil }
            return try await pending.approval()
        case .approvalPending(let pending):
            try report(pending)
            guard wait else { return nil }
            Output.standardError().line(
                "\nWaiting for both, and then for the time. Ctrl-C leaves; the same command goes on later.")
            return try await pending.approval()
        }
    }

    private func report(_ pending: PendingRecovery, availableAt time: Timestamp) throws {
        let name = pending.account
        try account.options.lastAccount.remember(
            .init(companyName: name.companyName, companyEmployeeId: name.companyEmployeeId))
        guard !account.options.json else {
            return try Output.standardOutput().write(
                JSONLines.line([
                    "outcome": "recoveryAvailableLater", "companyName": .string(name.companyName),
                    "companyEmployeeId": .string(name.companyEmployeeId),
                    "fingerprint": .string(pending.fingerprint), "availableAt": .timestamp(time),
                ]))
        }
        let company = ShellWord.quoteIfNeeded(name.companyName)
        let employee = ShellWord.quoteIfNeeded(name.companyEmployeeId)
        Output.standardError().line(
            """
            This device is approved. Come back with it at \(TimeText.short(time)) UTC:
              tenure client recover \(company) \(employee)
            Until then \(Printable.text(name.companyEmployeeId)) is told on every other device, and can cancel there.
            """)
    }

    private func report(_ pending: PendingRecovery) throws {
        let name = pending.account
        try account.options.lastAccount.remember(
            .init(companyName: name.companyName, companyEmployeeId: name.companyEmployeeId))
        let output = Output.standardOutput()
        guard !account.options.json else {
            return try output.write(
                JSONLines.line([
                    "outcome": "recoveryPending", "companyName": .string(name.companyName),
                    "companyEmployeeId": .string(name.companyEmployeeId),
                    "fingerprint": .string(pending.fingerprint), "words": .string(pending.words),
                ]))
        }
        let words = Output.standardError()
        words.line("\nTwo persons have to approve this device. Read them its words, in person or by phone:")
        try output.write(
            Facts(
                [("Employee", name.companyEmployeeId), ("Company", name.companyName)]
                    + Facts.device(pending.fingerprint)
            ).rendered(on: output.terminal))
        let company = ShellWord.quoteIfNeeded(name.companyName)
        let employee = ShellWord.quoteIfNeeded(name.companyEmployeeId)
        words.line(
            """
            An admin:            tenure client recoveries open \(company) \(employee)
            Another admin:       tenure client recoveries confirm \(company) \(employee)
            Then you, here:      tenure client recover \(company) \(employee)
            That works once the waiting time is over. Nobody tells whether there is such an employee: look at the spelling.
            """)
    }
}
