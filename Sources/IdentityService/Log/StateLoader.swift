import FoundationEssentials
import Identity
import Ledger
import Projections

/// Folds the streams that decisions are made on.
///
/// None of these streams grows with the number of logins: validations, sessions and attempts have streams of their own.
struct StateLoader: Sendable {
    let reader: LedgerReader

    /// The tenant, from its own stream and the first event of its ledger.
    func tenant(_ id: TenantID) async throws -> TenantSnapshot {
        let read = try await reader.read(Self.tenantQuery(id))
        return try Self.tenant(id, read.founding, read.streams[.tenant(id)] ?? [])
    }

    /// What ``tenant(_:_:_:)`` folds.
    static func tenantQuery(_ id: TenantID) -> StreamsQuery {
        StreamsQuery([.tenant(id)], foundingOf: LedgerID(id.uuid))
    }

    static func tenant(
        _ id: TenantID, _ founding: RecordedEvent?, _ events: [RecordedEvent]
    ) throws -> TenantSnapshot {
        guard let founding, founding.stream.kind == StreamID.employeeKind else {
            return TenantSnapshot(id: id, state: Tenant.initial, version: 0, leaves: [:])
        }
        let events = events.filter { $0.position > 1 }
        var state = Tenant.initial
        Tenant.evolve(&state, try EventCodec.decode(founding))
        for event in events { Tenant.evolve(&state, try EventCodec.decode(event)) }
        return TenantSnapshot(
            id: id, state: state, version: events.last?.streamVersion ?? 0, leaves: leaves([founding] + events),
            head: StreamHead(events))
    }

    /// An employee with keys, as known without names.
    func employee(_ id: EmployeeID, in tenant: TenantID) async throws -> EmployeeSnapshot {
        let stream = StreamID.employee(id, in: tenant)
        return try Self.employee(id, try await reader.streams([stream])[stream] ?? [])
    }

    static func employee(_ id: EmployeeID, _ events: [RecordedEvent]) throws -> EmployeeSnapshot {
        let state = Employee.fold(try events.map { try EventCodec.decode($0) })
        return EmployeeSnapshot(
            id: id, state: state, version: events.last?.streamVersion ?? 0, leaves: leaves(events), events: events,
            head: StreamHead(events))
    }

    /// A user with credentials.
    func user(_ id: UserID) async throws -> UserSnapshot {
        let stream = StreamID.user(id)
        return try Self.user(id, try await reader.streams([stream])[stream] ?? [])
    }

    /// A user from the event on that set the credentials in force: these and what happened since, a recovery that is open
    /// among it, are as in the whole; the address and the credentials of the past are not known. So how long somebody's
    /// history is costs nothing, and tells nothing to who measures time.
    static func credentials(of id: UserID) -> StreamsQuery.Tail {
        StreamsQuery.Tail(.user(id), fromLast: [CredentialsSet.type, CredentialsChanged.type])
    }

    static func user(_ id: UserID, _ events: [RecordedEvent]) throws -> UserSnapshot {
        let state = User.fold(try events.map { try EventCodec.decode($0) })
        return UserSnapshot(
            id: id, state: state, version: events.last?.streamVersion ?? 0, leaves: leaves(events), events: events,
            head: StreamHead(events))
    }

    /// An app with its secrets.
    func app(_ id: AppID) async throws -> AppSnapshot {
        let stream = StreamID.app(id)
        let events = try await reader.streams([stream])[stream] ?? []
        let state = App.fold(try events.map { try EventCodec.decode($0) })
        return AppSnapshot(id: id, state: state, version: events.last?.streamVersion ?? 0, leaves: Self.leaves(events))
    }

    private static func leaves(_ events: [RecordedEvent]) -> [Int64: [UInt8]] {
        Dictionary(events.map { ($0.position, $0.leaf) }, uniquingKeysWith: { first, _ in first })
    }
}

/// A tenant at one version of its stream.
struct TenantSnapshot: Sendable {
    var id: TenantID
    var state: Tenant.State
    var version: Int
    /// Leaf hashes by position, for statements that name an event.
    var leaves: [Int64: [UInt8]]
    /// The last event of its own stream.
    var head: StreamHead?
    /// Whether somebody founded it.
    var exists: Bool { state.founding != nil }
}

/// An employee at one version of the stream.
struct EmployeeSnapshot: Sendable {
    var id: EmployeeID
    var state: Employee.State
    var version: Int
    var leaves: [Int64: [UInt8]]
    var events: [RecordedEvent]
    /// The last event of the stream.
    var head: StreamHead?
}

/// A user at one version of the stream.
struct UserSnapshot: Sendable {
    var id: UserID
    var state: User.State
    var version: Int
    /// Leaf hashes by position, for statements and records that name an event.
    var leaves: [Int64: [UInt8]]
    var events: [RecordedEvent]
    /// The last event of the stream.
    var head: StreamHead?

    /// Where the entries with these leaf hashes lie; what is not of this user is left out.
    func positions(of hashes: [[UInt8]]) -> [Int64] {
        hashes.compactMap { hash in leaves.first { $0.value == hash }?.key }
    }
}

/// An app at one version of its stream.
struct AppSnapshot: Sendable {
    var id: AppID
    var state: App.State
    var version: Int
    var leaves: [Int64: [UInt8]]
}
