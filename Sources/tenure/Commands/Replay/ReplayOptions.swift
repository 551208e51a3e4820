import ArgumentParser
import FoundationEssentials
import Identity
import Projections

/// Which events a replay is about.
struct ReplayOptions: ParsableArguments, Sendable {
    @Option(help: "Only this company.")
    var company: String?

    @Option(help: "Only this employee of the company: the company's own id, or the UUID.")
    var employee: String?

    @Option(help: ArgumentHelp("Only events of this type; may be repeated.", valueName: "type"))
    var type: [String] = []

    @Option(help: "Only what came through this app: its id.")
    var app: String?

    @Option(help: "Only what this employee of the company did: the company's own id, or the UUID.")
    var actor: String?

    @Option(help: "Only what this request led to: its id.")
    var request: String?

    @Option(help: "The first position.")
    var fromPosition: Int64?

    @Option(help: "The last position.")
    var toPosition: Int64?

    @Option(help: "Nothing before this time.")
    var from: String?

    @Option(help: "Nothing after this time.")
    var to: String?

    func validate() throws {
        guard company != nil || employee == nil else {
            throw ValidationError("--employee needs --company: an id is the company's own.")
        }
        guard company != nil || actor.map({ EmployeeID(text: $0) != nil }) ?? true else {
            throw ValidationError("--actor needs --company, or the employee's UUID: an id is the company's own.")
        }
        guard company != nil || (fromPosition == nil && toPosition == nil) else {
            throw ValidationError("A position is one of a company: name it with --company.")
        }
        guard app.map({ UUID(uuidString: $0) != nil }) ?? true else {
            throw ValidationError("--app takes an app's id.")
        }
        for name in type where !EventCatalogue.isKnown(type: name) {
            throw ValidationError("There is no event \(Printable.text(name)); docs/ARCHITECTURE.md names them.")
        }
    }

    /// Whether anything but company and employee chooses.
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

    /// The ledgers, and the employee.
    func selection(_ log: EventLog, _ session: ReaderSession) async throws -> ReplaySelection {
        var selection = ReplaySelection(ledgers: try await log.ledgers())
        if let company { try await selection.limit(to: company, employee, session) }
        return selection
    }

    /// The filter, with the actor found.
    func filter(_ session: ReaderSession) async throws -> ReplayFilter {
        var filter = ReplayFilter(
            types: Set(type), app: app.flatMap(UUID.init(uuidString:)), actor: nil, request: request)
        if let actor {
            if let id = EmployeeID(text: actor) {
                filter.actor = id.uuid
            } else if let company {
                filter.actor = try await session.employee(actor, in: try session.tenant(company)).uuid
            }
        }
        return filter
    }
}
