import ArgumentParser
import Credentials

/// Opens a recovery.
struct ClientRecoveriesOpen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a recovery; for the security admin.",
        discussion: "From then on there are 72 hours. A right login of the person on a known device cancels it.")

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

/// Confirms a recovery that somebody else opened.
struct ClientRecoveriesConfirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Confirm a recovery that somebody else opened.",
        discussion: """
            For another admin; and for the person themselves on a device that is authorized still, with --as and \
            --fingerprint, because the list is for admins.
            """)

    @OptionGroup var choice: RecoveryChoice

    func run() async throws {
        try await choice.decide(.confirm) { company, employee in
            """
            Confirmed. The new device sets new credentials now:
              tenure client recover \(ShellWord.quoteIfNeeded(company)) \(ShellWord.quoteIfNeeded(employee))
            """
        }
    }
}

/// Cancels a recovery before credentials are set.
struct ClientRecoveriesCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a recovery that is open; nothing has to be compared for that.")

    @Option(help: "Why, as a code of a-z, 0-9, point, underscore and hyphen.")
    var reason = "mistake"

    @OptionGroup var choice: RecoveryChoice

    func run() async throws { try await choice.decide(.cancel, reason: reason) { _, _ in "Cancelled." } }
}
