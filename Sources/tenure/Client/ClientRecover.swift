import ArgumentParser
import Canonical
import TenureClient

/// Asks for new credentials for somebody who lost everything, and sets them once two persons have approved this device.
struct ClientRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Ask for new questions and a new passphrase when you have lost everything.",
        discussion: """
            This device makes a key and shows its fingerprint. You read that to the security admin of your company, who \
            opens the recovery; another admin confirms it, or a device of yours that is authorized still. Then the same \
            command on this device asks for new questions with answers and for a passphrase, which take the place of \
            everything that you lost. Nobody else learns them. Nothing has to be kept running meanwhile.
            """)

    @Argument(help: "The company's name; the last one by default.")
    var company: String?

    @Argument(help: "The employee's id; the last one by default.")
    var employee: String?

    @Flag(help: "Wait here until both have decided.")
    var wait = false

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if company != nil && employee == nil { throw ValidationError("A company needs the employee's id.") }
    }

    func run() async throws {
        let client = try await options.client()
        let last = options.lastAccount.name()
        guard let company = company ?? last?.companyName, let employee = employee ?? last?.companyEmployeeId
        else { throw CommandFailure(.usage, "no account was used here", remedy: "Name the company and the employee.") }
        let command = self
        let outcome = try await Interruption.stopping {
            let step = try await client.recover(companyName: company, companyEmployeeId: employee)
            guard let approved = try await command.approved(step) else { return nil as FlowOutcome? }
            Output.standardError().line(
                "\nTwo persons have approved this device. What you choose now takes the place of what you lost.")
            return try await client.complete(approved, asking: TerminalPrompts())
        }
        guard let outcome else { return }
        if !options.json {
            Output.standardError().line("\nYour new credentials are set. The old ones open nothing any more.")
        }
        let set = try await client.credentialsFingerprint(companyName: company, companyEmployeeId: employee)
        try OutcomeReport(outcome, credentials: set).write(options)
    }

    /// The step that sets credentials; nil when both have yet to decide and nobody waits for that.
    private func approved(_ step: RecoveryStep) async throws -> RecoveredCredentialsStep? {
        switch step {
        case .setCredentials(let step): return step
        case .approvalPending(let pending):
            try report(pending)
            guard wait else { return nil }
            Output.standardError().line("\nWaiting for both. Ctrl-C leaves; the same command goes on later.")
            return try await pending.approval()
        }
    }

    private func report(_ pending: PendingRecovery) throws {
        let account = pending.account
        try options.lastAccount.remember(
            .init(companyName: account.companyName, companyEmployeeId: account.companyEmployeeId))
        let output = Output.standardOutput()
        guard !options.json else {
            return output.write(
                JSONLines.line([
                    "outcome": "recoveryPending", "companyName": .string(account.companyName),
                    "companyEmployeeId": .string(account.companyEmployeeId),
                    "fingerprint": .string(pending.fingerprint),
                ]))
        }
        let words = Output.standardError()
        words.line("\nTwo persons have to approve this device. Read them its fingerprint, in person or by phone:")
        output.write(
            Facts([
                ("Employee", account.companyEmployeeId), ("Company", account.companyName),
                ("Device", pending.readableFingerprint),
            ]).rendered(on: output.terminal))
        let company = ShellWord.quoteIfNeeded(account.companyName)
        let employee = ShellWord.quoteIfNeeded(account.companyEmployeeId)
        words.line(
            """
            The security admin:  tenure client recoveries open \(company) \(employee)
            Another admin:       tenure client recoveries confirm \(company) \(employee)
            Then you, here:      tenure client recover \(company) \(employee)
            Nobody tells whether there is such an employee: look at the spelling. Until both have decided nothing changes.
            """)
    }
}
