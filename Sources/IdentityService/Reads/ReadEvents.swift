import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Projections

/// Pages through a company's ledger, with personal members opened where the key still exists.
struct ReadEvents: Sendable {
    /// How many pages of the ledger one call reads at most, so that a filter that matches little stays bounded. Types are
    /// compared here: the database would read the whole ledger for a type that hardly occurs.
    static let maximumPages = 20
    /// How many events a page has when there is a filter.
    static let filteredPage = 500
    let context: ServiceContext

    func run(_ company: String, _ query: EventQuery, caller: Caller) async throws -> Page<EventView> {
        let access = try await context.access(company, caller, role: .authorization)
        let ledger = LedgerID(access.tenant.id.uuid)
        var concerned: UUID?
        if let employee = query.employee {
            concerned = try await context.employee(employee, in: access.tenant.id).id.uuid
        }
        var items: [EventView] = []
        var cursor = query.after
        let limit = query.type == nil && concerned == nil ? query.limit : max(query.limit, Self.filteredPage)
        func isWanted(_ event: RecordedEvent) -> Bool {
            (query.type.map { $0 == event.type } ?? true) && (concerned.map { Self.concerns(event, $0) } ?? true)
        }
        for _ in 0..<Self.maximumPages {
            let page = try await context.reader.ledger(ledger, after: cursor, limit: limit)
            let wanted = page.events.filter(isWanted).prefix(query.limit - items.count)
            let keys = try await keys(for: wanted, in: ledger)
            for event in page.events {
                if let asOf = query.asOf, event.time > asOf { return Page(items: items, next: nil) }
                cursor = event.position
                guard isWanted(event) else { continue }
                items.append(Self.view(of: event, keys))
                if items.count == query.limit {
                    return Page(items: items, next: cursor < page.size ? cursor : nil)
                }
            }
            cursor = page.cursor
            guard page.hasMore else { return Page(items: items, next: nil) }
        }
        return Page(items: items, next: cursor)
    }

    private func keys(for events: some Collection<RecordedEvent>, in ledger: LedgerID) async throws -> [UUID: PersonKey]
    {
        let ids = events.reduce(into: Set<UUID>()) { $0.formUnion(OpenedEvent.owners($1)) }
        return try await context.personKeys.load(Array(ids), ledger: ledger.uuid)
    }

    /// Whether an event is about an employee, done by or to.
    private static func concerns(_ event: RecordedEvent, _ employee: UUID) -> Bool {
        event.actor == employee || event.stream.id == employee
            || event.data["employeeId"] == .string(employee.lowercased)
    }

    private static func view(of event: RecordedEvent, _ keys: [UUID: PersonKey]) -> EventView {
        EventView(
            position: event.position, eventId: event.id, type: event.type, stream: event.stream.text,
            streamVersion: event.streamVersion, time: event.time, actor: event.actor, app: event.app,
            requestId: event.requestId, data: OpenedEvent(event, keys: keys).data)
    }
}
