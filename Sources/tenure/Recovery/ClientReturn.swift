import ArgumentParser
import Canonical
import TenureClient
import Text

/// Brings a security admin back who is alone and has lost the device.
struct ClientReturn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "return",
        abstract: "Return as the security admin on a new device, after you have lost the last one.",
        discussion: """
            For the security admin of a company in which no other admin has a device. You need your credentials and \
            the mailbox of your e-mail address, which was verified at least 30 days ago. Run the command on the new \
            device. Then open the link in the mail, which begins the waiting time: 48 hours, or twice the company's \
            waiting time for recoveries if that is longer. Afterwards run the same command on this device again.

            With --cancel a former device cancels a return that is not yours, or undoes it within 30 days, without a \
            log-in.

            Examples:
              tenure client return harbour.example ada
              tenure client return harbour.example ada --cancel
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id in the company.")
    var employee: String

    @Flag(help: "Cancel or undo a return with this device's key.")
    var cancel = false

    @OptionGroup var options: ClientOptions

    func run() async throws {
        let client = try await options.client()
        let (company, employee) = (company, employee)
        if cancel {
            let position = try await Interruption.stopping {
                try await client.cancelReturn(companyName: company, companyEmployeeId: employee)
            }
            return try reportCancelled(position)
        }
        let outcome = try await Interruption.stopping {
            let step = try await client.returnAsSecurityAdmin(companyName: company, companyEmployeeId: employee)
            return try await client.complete(step, asking: TerminalPrompts(languages: ShellLanguages.preferred()))
        }
        switch outcome {
        case .success:
            try OutcomeReport(
                outcome, greeting: "You are back. This device alone has the role; your other devices have lost it."
            ).write(options)
        case .authorizationPending(let pending): try reportRequested(pending)
        }
    }

    private func reportCancelled(_ position: Int64?) throws {
        guard options.json else {
            return Output.standardError().line(
                "Cancelled. Somebody knows your credentials: tenure client change-credentials")
        }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": "cancelled", "companyName": .string(company), "companyEmployeeId": .string(employee),
                    "position": position.map(JSONValue.integer),
                ])))
    }

    private func reportRequested(_ pending: PendingAuthorization) throws {
        let account = pending.account
        try options.lastAccount.remember(
            .init(companyName: account.companyName, companyEmployeeId: account.companyEmployeeId))
        guard !options.json else {
            return try Output.standardOutput().write(
                JSONLines.line(
                    .objectOmittingNil([
                        "outcome": "returnRequested", "companyName": .string(account.companyName),
                        "companyEmployeeId": .string(account.companyEmployeeId),
                        "fingerprint": .string(pending.fingerprint), "words": .string(pending.words),
                        "position": pending.position.map(JSONValue.integer),
                    ])))
        }
        let company = ShellWord.quoteIfNeeded(account.companyName)
        let employee = ShellWord.quoteIfNeeded(account.companyEmployeeId)
        Output.standardError().line(
            """

            A mail is on its way to your address. Open its link within a day: it begins the waiting time.
            Keep this device. Its words are: \(pending.words)
            Its fingerprint is: \(pending.readableFingerprint)
            When the waiting time is over, here:  tenure client return \(company) \(employee)
            """)
    }
}
