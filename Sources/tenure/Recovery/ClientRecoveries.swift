import ArgumentParser
import Canonical
import Credentials
import TenureAPI
import TenureClient
import Text

/// Decides about recoveries, for the colleagues of someone who has lost every credential.
struct ClientRecoveries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recoveries", abstract: "List, open, confirm or cancel recoveries of lost credentials.",
        discussion: """
            A recovery takes two decisions and a waiting time. An admin opens it; only the security admin opens the \
            recovery of an admin. Another admin confirms it, or the person does on a device that is still authorized. \
            During the waiting time the person is notified on every device and can cancel. Then new credentials can be \
            set.

            Compare the words with those that the person reads out, face to face or on the phone. Make sure \
            that it is the person: whoever has this key sets new credentials in their name.

            Examples:
              tenure client recoveries harbour.example
              tenure client recoveries open harbour.example bruno
            """,
        subcommands: [
            ClientRecoveriesList.self, ClientRecoveriesOpen.self, ClientRecoveriesConfirm.self,
            ClientRecoveriesCancel.self,
        ], defaultSubcommand: ClientRecoveriesList.self)
}

/// Lists the recoveries of a tenant.
struct ClientRecoveriesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the open and requested recoveries of a company. For admins.",
        discussion: """
            Example:
              tenure client recoveries list harbour.example
            """)

    @Argument(help: "The company's name.")
    var company: String

    @OptionGroup var decider: CompanyDecider

    func run() async throws {
        let client = try await decider.options.client()
        let (company, decider) = (company, decider)
        let recoveries = try await Interruption.stopping {
            try await decider.session(company, client).recoveries()
        }
        let output = Output.standardOutput()
        guard !decider.options.json else {
            for recovery in recoveries { try output.write(JSONLines.line(recovery.json)) }
            return
        }
        guard !recoveries.isEmpty else {
            return Output.standardError().line("\(Printable.text(company)) has no recoveries.")
        }
        var table = Table([
            .init(title: "Employee"), .init(title: "Company"), .init(title: "New device"), .init(title: "Words"),
            .init(title: "State"),
            .init(title: "Asked"), .init(title: "Available"), .init(title: "Until"), .init(title: "Opened by"),
        ])
        for recovery in recoveries {
            table.add([
                recovery.employee.companyEmployeeId ?? "", recovery.employee.companyName,
                Fingerprint.readable(recovery.fingerprint), FingerprintWords(hex: recovery.fingerprint).text,
                recovery.state + (recovery.soleAdmin ? " (one admin)" : ""), TimeText.short(recovery.requestedAt),
                recovery.availableAt.map { TimeText.short($0) } ?? "", TimeText.short(recovery.expiresAt),
                recovery.openedBy ?? "",
            ])
        }
        try output.write(table.rendered(on: output.terminal))
    }
}

struct ClientRecoveriesOpen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a recovery. Only the security admin opens that of an admin.",
        discussion: """
            This starts the company's waiting time, or twice that time if the company has only one admin. After it, \
            new credentials can be set for 72 hours. A successful log-in of the person on a known device cancels the \
            recovery.

            Example:
              tenure client recoveries open harbour.example bruno
            """)

    @OptionGroup var choice: RecoveryChoice

    func run() async throws {
        try await choice.decide(.open) { company, employee in
            """
            Opened. Now another admin confirms, or a device of \(Printable.text(employee)) that is authorized still:
              tenure client recoveries confirm \(ShellWord.quoteIfNeeded(company)) \(ShellWord.quoteIfNeeded(employee))
            """
        }
    }
}

/// Confirms a recovery that another admin opened.
struct ClientRecoveriesConfirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Confirm a recovery that another admin opened.",
        discussion: """
            For another admin. The person can also confirm on a device that is still authorized; they need --as and \
            --fingerprint, because only admins can read the list.

            Example:
              tenure client recoveries confirm harbour.example bruno
            """)

    @OptionGroup var choice: RecoveryChoice

    func run() async throws {
        try await choice.decide(.confirm) { company, employee in
            """
            Confirmed. The new device sets new credentials once the waiting time is over; it is told when:
              tenure client recover \(ShellWord.quoteIfNeeded(company)) \(ShellWord.quoteIfNeeded(employee))
            """
        }
    }
}

/// Cancels a recovery before credentials are set.
struct ClientRecoveriesCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel an open recovery. No comparison of fingerprints is needed.",
        discussion: """
            With --this-device the person cancels their own recovery without a log-in. This device's key signs, even \
            if it has been revoked in the meantime.

            Examples:
              tenure client recoveries cancel harbour.example bruno
              tenure client recoveries cancel harbour.example bruno --this-device
            """)

    @Flag(help: "Cancel your own recovery with this device's key, without a log-in.")
    var thisDevice = false

    @Option(help: "The reason: a code of a-z, 0-9, point, underscore and hyphen.")
    var reason = "mistake"

    @OptionGroup var choice: RecoveryChoice

    func run() async throws {
        guard thisDevice else { return try await choice.decide(.cancel, reason: reason) { _, _ in "Cancelled." } }
        let client = try await choice.decider.options.client()
        let choice = choice
        let position = try await Interruption.stopping {
            try await client.cancelRecovery(companyName: choice.company, companyEmployeeId: choice.employee)
        }
        guard choice.decider.options.json else { return Output.standardError().line("Cancelled.") }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": "cancelled", "companyName": .string(choice.company),
                    "companyEmployeeId": .string(choice.employee), "position": position.map(JSONValue.integer),
                ])))
    }
}
