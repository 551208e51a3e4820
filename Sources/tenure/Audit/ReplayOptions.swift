import ArgumentParser
import Canonical
import EventCoding
import Foundation
import FoundationEssentials
import Identity
import IdentityService
import Ledger
import Projections

/// The options that select the events of a replay.
struct ReplayOptions: ParsableArguments, Sendable {
    @Option(help: "Only this company.")
    var company: String?

    @Option(help: "Only this employee of the company, by employee id or UUID.")
    var employee: String?

    @Option(help: ArgumentHelp("Only events of this type; may be repeated.", valueName: "type"))
    var type: [String] = []

    @Option(help: "Only events that came through the app with this id.")
    var app: String?

    @Option(help: "Only events that this employee of the company caused, by employee id or UUID.")
    var actor: String?

    @Option(help: "Only events that the request with this id caused.")
    var request: String?

    @Option(help: "The first position.")
    var fromPosition: Int64?

    @Option(help: "The last position.")
    var toPosition: Int64?

    @Option(help: "No events before this time.")
    var from: String?

    @Option(help: "No events after this time.")
    var to: String?

    func validate() throws {
        guard company != nil || employee == nil else {
            throw ValidationError("--employee needs --company, because an employee id belongs to one company.")
        }
        guard company != nil || actor.map({ EmployeeID(entered: $0) != nil }) ?? true else {
            throw ValidationError("--actor needs --company, or the employee's UUID.")
        }
        guard company != nil || (fromPosition == nil && toPosition == nil) else {
            throw ValidationError("A position needs --company.")
        }
        guard app.map({ UUID(entered: $0) != nil }) ?? true else {
            throw ValidationError("--app takes an app's id.")
        }
        for name in type where !EventCatalogue.isKnown(type: name) {
            throw ValidationError("There is no event \(Printable.text(name)). docs/events.md lists the events.")
        }
    }

    /// Whether any option besides `--company` and `--employee` selects events.
    var choosesEvents: Bool {
        !type.isEmpty || app != nil || actor != nil || request != nil || fromPosition != nil || toPosition != nil
            || from != nil || to != nil
    }

    /// The range of positions and times.
    func range() throws -> EventLog.Range {
        EventLog.Range(
            fromPosition: fromPosition, toPosition: toPosition, from: try from.map { try TimeText.parse($0) },
            to: try to.map { try TimeText.parse($0) })
    }

    /// Returns the selected ledgers and the employee.
    func selection(_ log: EventLog, _ session: ReaderSession) async throws -> ReplaySelection {
        var selection = ReplaySelection(ledgers: try await log.ledgers())
        // A position is one of the company's ledger.
        let hasAttempts = fromPosition == nil && toPosition == nil
        if let company { try await selection.limit(to: company, employee, withAttempts: hasAttempts, session) }
        return selection
    }

    /// Returns the filter, with the actor resolved.
    func filter(_ session: ReaderSession) async throws -> ReplayFilter {
        var filter = ReplayFilter(
            types: Set(type), app: app.flatMap(UUID.init(entered:)), actor: nil, request: request)
        if let actor {
            if let id = EmployeeID(text: actor) {
                filter.actor = id.uuid
            } else if let company {
                filter.actor = try await session.employee(actor, in: try session.tenant(company)).uuid
            } else {
                filter.actor = EmployeeID(entered: actor)?.uuid
            }
        }
        return filter
    }
}

/// The output format of a replay.
enum ReplayFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// Aligned columns for people.
    case table
    /// One JSON object per line.
    case ndjson
    /// Comma-separated values (RFC 4180) with a header line.
    case csv
    /// One CloudEvents 1.0 event in JSON per line.
    case cloudevents
}

/// The filter of a replay, applied after tenant, employee and range.
///
/// The filter is applied to every event that was read. So it does not affect the cursor, and no page skips an event.
struct ReplayFilter: Sendable, Equatable {
    /// Selects these event types; empty selects all.
    var types: Set<String> = []
    /// Selects the events that came through this app.
    var app: UUID?
    /// Selects the events that this employee caused.
    var actor: UUID?
    /// Selects the events that this request caused.
    var request: String?

    /// The types to select in the database; `nil` for all.
    var typeList: [String]? { types.isEmpty ? nil : types.sorted() }

    /// Whether the filter selects an event.
    func includes(_ event: RecordedEvent) -> Bool {
        (types.isEmpty || types.contains(event.type)) && (app == nil || event.app == app)
            && (actor == nil || event.actor == actor) && (request == nil || event.requestId == request)
    }
}

/// The ledgers of a replay, and optionally one employee.
struct ReplaySelection: Sendable {
    private(set) var ledgers: [(id: LedgerID, size: Int64)]
    private(set) var employee: EmployeeID?
    /// The M-Pin identities that are linked to the employee.
    private(set) var identities: Set<UUID> = []
    /// The attempts at the employee's credentials, through any company, and the ledger that has them.
    private var attempts: (of: PersonAttempts, size: Int64)?
    /// Whether one tenant was requested, so that a missing ledger is an error.
    private(set) var isOneCompany = false

    init(ledgers: [(id: LedgerID, size: Int64)]) { self.ledgers = ledgers }

    /// The ledgers whose events are printed: the ledgers, and the directory with the attempts at the employee.
    var printed: [(id: LedgerID, size: Int64)] {
        ledgers + (attempts.map { [(id: $0.of.directory, size: $0.size)] } ?? [])
    }

    /// The types of events to read from a ledger, or `nil` for all: only attempts concern one person in a directory.
    func types(in ledger: LedgerID, _ wanted: [String]?) -> [String]? {
        guard ledger == attempts?.of.directory else { return wanted }
        return wanted.map { $0.filter(PersonAttempts.types.contains) } ?? PersonAttempts.types
    }

    /// Limits the selection to a tenant, and optionally to one of its employees.
    mutating func limit(
        to company: String, _ employee: String?, withAttempts: Bool, _ session: ReaderSession
    ) async throws {
        let tenant = try session.tenant(company)
        let directories = ledgers
        ledgers = ledgers.filter { $0.id.uuid == tenant.uuid }
        isOneCompany = true
        guard !ledgers.isEmpty else { throw CommandFailure(.notFound, "there is no company of that name") }
        guard let employee else { return }
        let id = try await session.employee(employee, in: tenant)
        self.employee = id
        identities = try await session.mpinIdentities(linkedTo: id, in: tenant)
        guard withAttempts, let of = try await session.attempts(at: id, in: tenant) else { return }
        attempts = (of, directories.first { $0.id == of.directory }?.size ?? 0)
    }

    /// Limits the selection to an existing ledger, and optionally to one employee.
    mutating func limit(to ledger: LedgerID, _ employee: EmployeeID?) {
        ledgers = ledgers.filter { $0.id == ledger }
        isOneCompany = true
        self.employee = employee
    }

    /// Whether an event is about the employee, a linked M-Pin identity or an attempt at the employee, or was caused by
    /// them.
    ///
    /// Where a bundle is read there are no claims, so only the link itself shows that an identity is the employee's.
    func concerns(_ event: OpenedEvent) -> Bool {
        guard let employee else { return true }
        if let of = attempts?.of, event.recorded.ledger == of.directory { return of.contains(event.recorded) }
        return event.recorded.stream.id == employee.uuid || EventWords.people(event).contains(employee.uuid)
            || EventWords.mpinIdentity(event).map(identities.contains) ?? false
    }
}

/// The progress of a replay in each ledger, stored in a file so that the next replay can continue.
struct ReplayCursor: Sendable, Equatable {
    private(set) var positions: [LedgerID: Int64] = [:]

    init() {}

    /// The position up to which a ledger was printed; 0 before its first event.
    subscript(ledger: LedgerID) -> Int64 {
        get { positions[ledger] ?? 0 }
        set { positions[ledger] = newValue > 0 ? newValue : nil }
    }

    /// Reads a cursor file. A missing file is a cursor at the beginning.
    init(file: String) throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        let failure = CommandFailure(
            .usage, "\(file) does not contain a replay cursor",
            remedy: "Name another file, or delete it to start again.")
        guard let data = FileManager.default.contents(atPath: file),
            case .object(let members)? = try? CanonicalJSON.parse(
                Array(data.last == 0x0A ? data.dropLast() : data), limits: .init(bytes: 1 << 28))
        else { throw failure }
        for (name, value) in members {
            guard let ledger = UUID(lowercased: name), case .integer(let position) = value, position >= 0 else {
                throw failure
            }
            self[LedgerID(ledger)] = position
        }
    }

    /// The content of the file: an object of ledger ids and positions.
    var bytes: [UInt8] {
        let members = positions.map { ($0.key.uuid.lowercased, JSONValue.integer($0.value)) }
        return JSONValue.object(Dictionary(members, uniquingKeysWith: { first, _ in first })).canonicalBytes() + [0x0A]
    }

    /// Replaces the file atomically: it contains either the old cursor or the new one.
    func write(to file: String) throws {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw CommandFailure(.failure, "the cursor cannot be written to \(file)")
        }
    }
}
