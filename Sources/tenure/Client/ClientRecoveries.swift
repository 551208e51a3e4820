import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// What those decide upon to whom somebody turns who lost everything.
struct ClientRecoveries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recoveries", abstract: "List, open, confirm or cancel recoveries of people who lost everything.",
        discussion: """
            It takes two persons: the security admin opens a recovery, and another admin confirms it, or a device of the \
            person that is authorized still. Compare the fingerprint with what the person reads out whom you know, face \
            to face or on the phone: whoever has that key sets new credentials in their name.
            """,
        subcommands: [
            ClientRecoveriesList.self, ClientRecoveriesOpen.self, ClientRecoveriesConfirm.self,
            ClientRecoveriesCancel.self,
        ], defaultSubcommand: ClientRecoveriesList.self)
}

/// Lists the recoveries of a company.
struct ClientRecoveriesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the recoveries that wait in a company; for its admins.")

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
            for recovery in recoveries { output.write(JSONLines.line(recovery.json)) }
            return
        }
        guard !recoveries.isEmpty else {
            return Output.standardError().line("Nobody in \(Printable.text(company)) waits for a recovery.")
        }
        var table = Table([
            .init(title: "Employee"), .init(title: "Company"), .init(title: "New device"), .init(title: "State"),
            .init(title: "Asked"), .init(title: "Until"), .init(title: "Opened by"),
        ])
        for recovery in recoveries {
            table.add([
                recovery.employee.companyEmployeeId ?? "", recovery.employee.companyName,
                Fingerprint.readable(recovery.fingerprint), recovery.state, TimeText.short(recovery.requestedAt),
                TimeText.short(recovery.expiresAt), recovery.openedBy ?? "",
            ])
        }
        output.write(table.rendered(on: output.terminal))
    }
}
