import ArgumentParser
import Canonical
import FoundationEssentials
import Identity
import IdentityService
import Ledger
import Logging
import Postgres

/// Manages where ledgers lie in a distributed database.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Move a company to another node, accept a ledger's time, or disown a row.",
        discussion: """
            Examples:
              tenure ledger move harbour.example worker2.example
              tenure ledger accept-time harbour.example --operator-key operator.key
              tenure ledger disown harbour.example 41 --operator-key operator.key
            """,
        subcommands: [LedgerMoveCommand.self, LedgerAcceptTimeCommand.self, LedgerDisownCommand.self])
}

/// Accepts the time of a ledger that is ahead of the clock.
struct LedgerAcceptTimeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept-time",
        abstract: "Let a ledger whose latest event is ahead of the clock take events again.",
        discussion: """
            A clock that was wrong, or a forged event, can leave a ledger whose latest event lies in the future. It takes \
            no further events then. This command signs a decision that names the event and its time. From then on the \
            ledger's events have that time until the clock has passed it. Look for the cause first: tenure verify.

            It signs nothing if the time is not that of the ledger's latest event: somebody else wrote it then, and a \
            running service sets it right.

            With --all it lists the ledgers that are ahead, asks, and signs one decision for each. That needs \
            TENURE_READER_DATABASE_URL too.

            Examples:
              tenure ledger accept-time harbour.example --operator-key operator.key
              tenure ledger accept-time --all --operator-key operator.key
            """)

    @Argument(help: "The company's name or id, the id of another ledger, or system.")
    var ledger: String?

    @Flag(help: "Accept the times of all ledgers that are ahead.")
    var all = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var options: OperatorKeyOptions

    func validate() throws {
        if all == (ledger != nil) { throw ValidationError("Name a ledger, or give --all.") }
    }

    /// Accepts the times of all ledgers that are ahead, and says how many there were. That of the system ledger is first:
    /// it takes the acceptances of the others.
    private func acceptAll() async throws {
        let settings = try await options.settings(), words = Output.standardError()
        let found = try await KeySession.reading(settings) { try await LedgersAhead.read($0, naming: .max) }
        guard found.count > 0 else { return words.line("No ledger is ahead of the clock; nothing was changed.") }
        let ledgers = found.ledgers.filter { $0 == .system } + found.ledgers.filter { $0 != .system }
        for ledger in ledgers {
            guard let (position, time) = found.latest[ledger] else { continue }
            words.line("Ahead: ledger \(ledger), the event at position \(position), of \(time).")
        }
        if !yes { try Confirmation.ask("Type accept to go on: ", expecting: "accept", words) }
        let (count, left) = try await OperatorSession.run(settings) { commands in
            var count = 0, left = 0
            for ledger in ledgers {
                switch try await commands.acceptTime(of: ledger) {
                case .accepted(let position, let time):
                    count += 1
                    words.line("Accepted: the event at position \(position) of ledger \(ledger), of \(time).")
                case .falseHead:
                    left += 1
                    words.line("Left out: ledger \(ledger). Its time is not that of its latest event.")
                case .notAhead, .acceptedBefore: break
                }
            }
            return (count, left)
        }
        words.line("\(Noun.ledger.counted(count, "takes", "take")) events again.")
        if left > 0 { throw Self.falseHead("\(Noun.ledger.counted(left, "was", "were")) left out") }
    }

    /// The error for a time that is not that of the latest event.
    static func falseHead(_ what: String) -> CommandFailure {
        CommandFailure(
            .failure, "\(what): somebody else wrote the time of the latest event, and nothing was signed for it",
            remedy: "Find out who writes the database. A running service sets the time right; see tenure doctor.")
    }

    func run() async throws {
        guard let name = ledger else { return try await acceptAll() }
        let result = try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.acceptTime(of: try commands.ledger(named: name))
        }
        switch result {
        case .accepted(let position, let time):
            let words = Output.standardError()
            words.line("Accepted: the event at position \(position) of \(time). The ledger takes events again.")
        case .notAhead:
            throw CommandFailure(.failure, "the ledger is not ahead of the clock; nothing was changed")
        case .acceptedBefore:
            throw CommandFailure(.failure, "the time was accepted before; nothing was changed")
        case .falseHead: throw Self.falseHead("the time was not accepted")
        }
    }
}

/// Disowns a row below a checkpoint.
struct LedgerDisownCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disown",
        abstract: "Let streams be read again that hold a row which no service wrote.",
        discussion: """
            The service disowns such a row by itself as long as no checkpoint covers it. A row below a checkpoint was \
            changed later: the streams that hold it are refused. Restore it from a backup if you can. Otherwise this \
            command signs the decision that the row counts for nothing: what it said is lost. tenure verify goes on \
            reporting the change. tenure doctor and the log of the service name ledger and position.

            Example:
              tenure ledger disown harbour.example 41 --operator-key operator.key
            """)

    @Argument(help: "The company's name or id, the id of another ledger, or system.")
    var ledger: String

    @Argument(help: "The position of the row in the ledger.")
    var position: Int64

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let name = ledger, position = position
        let result = try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.disown(position, of: try commands.ledger(named: name))
        }
        switch result {
        case .disowned: Output.standardError().line("The row at position \(position) counts for nothing from now on.")
        case .disownedBefore: throw CommandFailure(.failure, "the row was disowned before; nothing was changed")
        case .ownEntry: throw CommandFailure(.failure, "a service wrote the row; nothing was changed")
        case .missing: throw CommandFailure(.failure, "the ledger has no row at this position; nothing was changed")
        }
    }
}

/// Moves a ledger to another node.
struct LedgerMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a company to another node while the service runs.",
        discussion: """
            Nothing is lost, and calls about the company wait for less than a second at the end. Row security stays in \
            force for the service; for the owner of the tables it is lifted meanwhile. If the command is killed, run it \
            again, or tenure migrate: both restore it, and tenure doctor reports it.

            Needs TENURE_OWNER_DATABASE_URL of a superuser and, to find a company by its name, \
            TENURE_READER_DATABASE_URL and the master keys. See docs/scaling.md.

            Examples:
              tenure ledger move harbour.example worker2.example
              tenure ledger move system worker1.example:5432
            """)

    @Argument(help: "The company's name or id, the id of another ledger, or system.")
    var name: String

    @Argument(help: ArgumentHelp("The host name of the worker, or host:port.", valueName: "node"))
    var node: String

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await options.settings()
        var owner = try CommandDatabase.configuration(.ownerDatabaseUrl, settings)
        try await CommandDatabase.reach(owner, .ownerDatabaseUrl)
        owner.statementTimeout = nil
        owner.idleInTransactionTimeout = nil
        owner.lockTimeout = nil
        let ledger = try await ledger(settings)
        let logger = try Logs.logger(settings, default: .warning)
        var connection = try await PostgresConnection.connect(owner, logger: logger)
        defer { connection.close() }
        let words = Output.standardError()
        let move = try await LedgerMove.plan(ledger, to: node, on: &connection)
        if move.isThere {
            // An earlier run may have been killed at its end.
            guard try await LedgerMove.restoreForce(on: &connection) != nil else { throw DistributionError.moving }
            words.line("The ledger is on \(move.target) already.")
            return
        }
        try await move.run(on: &connection) { step in words.line(Self.text(step, move)) }
        words.line("Done. The ledger \(ledger) is on \(move.target) now.")
    }

    private func ledger(_ settings: Settings) async throws -> LedgerID {
        if name == "system" { return .system }
        if let id = UUID(entered: name) { return LedgerID(id) }
        let name = name
        return try await ReaderSession.run(settings) { session in LedgerID(try session.tenant(name).uuid) }
    }

    static func text(_ step: LedgerMove.Step, _ move: LedgerMove) -> String {
        switch step {
        case .moving: "Copying the ledger from \(move.source) to \(move.target) …"
        case .returning: "Copying its neighbours back …"
        case .cleaning: "Deleting what was left behind …"
        }
    }
}
