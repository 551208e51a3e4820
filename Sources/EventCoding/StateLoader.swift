import Canonical
package import FoundationEssentials
package import Identity
package import Ledger

/// Loads and folds the streams that decisions are made on.
///
/// None of these streams grows with the number of logins: validations, sessions and attempts have streams of their own.
/// Only what a passkey counts stands in the stream of its employee.
package struct StateLoader: Sendable {
    private let reader: LedgerReader

    /// Loads from the streams that `reader` reads.
    package init(reader: LedgerReader) { self.reader = reader }

    /// The tenant, from its own stream and the first event of its ledger.
    ///
    /// - Throws: `LedgerError` and what ``EventCodec/decode(_:as:keys:)`` throws; so do all that load.
    package func tenant(_ id: TenantID) async throws -> TenantSnapshot {
        let read = try await reader.read(Self.tenantQuery(id))
        return try Self.tenant(id, read.founding, read.streams[.tenant(id)] ?? [])
    }

    /// What ``tenant(_:_:_:)`` folds.
    package static func tenantQuery(_ id: TenantID) -> StreamsQuery {
        StreamsQuery([.tenant(id)], foundingOf: LedgerID(id.uuid))
    }

    /// A tenant folded from what ``tenantQuery(_:)`` found; one that nobody founded is at its initial state.
    ///
    /// - Throws: ``LedgerError/Code/invalidEntry`` if the first event is not one that founds a tenant: somebody exchanged
    ///   or removed it.
    package static func tenant(
        _ id: TenantID, _ founding: RecordedEvent?, _ events: StreamEvents
    ) throws -> TenantSnapshot {
        guard let founding else {
            guard events.isEmpty else { throw Self.unfounded }
            return TenantSnapshot(id: id, state: Tenant.initial, version: events.version, leaves: [:])
        }
        guard founding.type == EmployeeRegistered.type, founding.data["companyName"] != nil else {
            throw Self.unfounded
        }
        let version = events.version, events = events.filter { $0.position > 1 }
        var state = Tenant.initial
        Tenant.evolve(&state, try EventCodec.decode(founding))
        for event in events { Tenant.evolve(&state, try EventCodec.decode(event)) }
        return TenantSnapshot(
            id: id, state: state, version: version, leaves: leaves([founding] + events))
    }

    private static let unfounded = LedgerError(.invalidEntry, "the first event of a company does not found it")

    /// An employee with keys, as known without names.
    package func employee(_ id: EmployeeID, in tenant: TenantID) async throws -> EmployeeSnapshot {
        let stream = StreamID.employee(id, in: tenant)
        return try Self.employee(id, try await reader.streams([stream])[stream] ?? [])
    }

    /// An employee folded from all events of the stream.
    package static func employee(_ id: EmployeeID, _ events: StreamEvents) throws -> EmployeeSnapshot {
        let state = Employee.fold(try events.map { try EventCodec.decode($0) })
        return EmployeeSnapshot(
            id: id, state: state, version: events.version, leaves: leaves(events.events), events: events.events)
    }

    package func user(_ id: UserID) async throws -> UserSnapshot {
        let stream = StreamID.user(id)
        return try Self.user(id, try await reader.streams([stream])[stream] ?? [])
    }

    /// A user from the event on that set the credentials in force: these and what happened since, a recovery that is open
    /// among it, are as in the whole; the address and the credentials of the past are not known. So how long somebody's
    /// history is costs nothing, and tells nothing to who measures time.
    package static func credentials(of id: UserID, _ codes: EventCodes) -> StreamsQuery.Tail {
        StreamsQuery.Tail(.user(id), fromLast: [CredentialsSet.type, CredentialsChanged.type], codes)
    }

    /// A user folded from the events of the stream, or from those that ``credentials(of:_:)`` reads.
    package static func user(_ id: UserID, _ events: StreamEvents) throws -> UserSnapshot {
        let state = User.fold(try events.map { try EventCodec.decode($0) })
        return UserSnapshot(
            id: id, state: state, version: events.version, leaves: leaves(events.events), events: events.events)
    }

    package func app(_ id: AppID) async throws -> AppSnapshot {
        let stream = StreamID.app(id)
        return try Self.app(id, try await reader.streams([stream])[stream] ?? [])
    }

    /// An app folded from all events of the stream.
    package static func app(_ id: AppID, _ events: StreamEvents) throws -> AppSnapshot {
        let state = App.fold(try events.map { try EventCodec.decode($0) })
        return AppSnapshot(
            id: id, state: state, version: events.version, leaves: leaves(events.events),
            clientChange: events.last { $0.type == AppClientChanged.type })
    }

    /// What the operator accepted of a ledger's time, and the version of that stream.
    package func ledgerTime(_ ledger: LedgerID) async throws -> (state: LedgerTime.State, version: Int) {
        let stream = StreamID.ledgerTime(ledger)
        let events = try await reader.streams([stream])[stream] ?? []
        return (LedgerTime.fold(try events.map { try EventCodec.decode($0) }), events.version)
    }

    /// The name and the origins of passkeys, and the version of their stream.
    package func origins() async throws -> (state: Origins.State, version: Int) {
        let events = try await reader.streams([.origins])[.origins] ?? []
        return (Origins.fold(try events.map { try EventCodec.decode($0) }), events.version)
    }

    private static func leaves(_ events: [RecordedEvent]) -> [Int64: [UInt8]] {
        Dictionary(events.map { ($0.position, $0.leaf) }, uniquingKeysWith: { first, _ in first })
    }
}

/// A tenant at one version of its stream.
package struct TenantSnapshot: Sendable {
    package var id: TenantID
    package var state: Tenant.State
    package var version: Int
    /// Leaf hashes by position, for statements that name an event.
    package var leaves: [Int64: [UInt8]]
    /// Whether somebody founded it.
    package var exists: Bool { state.founding != nil }
}

/// An employee at one version of the stream.
package struct EmployeeSnapshot: Sendable {
    package var id: EmployeeID
    /// What the events make of them.
    package var state: Employee.State
    package var version: Int
    /// Leaf hashes by position.
    package var leaves: [Int64: [UInt8]]
    /// The events that were folded, without copies of decisions.
    package var events: [RecordedEvent]
}

/// A user at one version of the stream.
package struct UserSnapshot: Sendable {
    package var id: UserID
    /// What the events make of them.
    package var state: User.State
    package var version: Int
    /// Leaf hashes by position, for statements and records that name an event.
    package var leaves: [Int64: [UInt8]]
    /// The events that were folded.
    package var events: [RecordedEvent]

    /// Where the entries with these leaf hashes lie; what is not of this user is left out.
    package func positions(of hashes: [[UInt8]]) -> [Int64] {
        hashes.compactMap { hash in leaves.first { $0.value == hash }?.key }
    }
}

/// An app at one version of its stream.
package struct AppSnapshot: Sendable {
    package var id: AppID
    package var state: App.State
    package var version: Int
    /// Leaf hashes by position.
    package var leaves: [Int64: [UInt8]]
    /// The last registration of the app as a client.
    package var clientChange: RecordedEvent?
}

/// The streams of the aggregates. These are permanent.
extension StreamID {
    /// The kind of the streams of employees; the first event of a company's ledger is in one.
    package static let employeeKind = "employee"

    package static func tenant(_ id: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(id.uuid), kind: "tenant", id: id.uuid)
    }

    /// The stream of an employee, with the device keys.
    package static func employee(_ id: EmployeeID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: employeeKind, id: id.uuid)
    }

    /// The stream of a flow: a log-in, a registration or a recovery.
    package static func flow(_ id: UUID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "flow", id: id)
    }

    package static func session(_ id: UUID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "session", id: id)
    }

    /// The stream of a user, in the user's directory.
    package static func user(_ id: UserID) -> StreamID {
        StreamID(ledger: .directory(of: id), kind: "user", id: id.uuid)
    }

    /// The decisions about a recovery, a second time, where a company sees them.
    package static func recovery(_ id: RecoveryID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "recovery", id: id.uuid)
    }

    /// The stream of a browser's cookie.
    package static func browserSession(_ id: BrowserSessionID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "browser", id: id.uuid)
    }

    /// The stream of a log-in by a passkey: that of the flow, or that of the employee if the authenticator counts, because
    /// the next log-in is held against its counter.
    package static func passkey(_ event: PasskeyValidated, in tenant: TenantID) -> StreamID {
        event.isCounted
            ? .employee(event.employeeID, in: tenant)
            : .flow(event.flow.uuid, in: tenant)
    }

    /// The stream of a browser that waits for the decision about the device key of a flow.
    package static func wait(_ flow: UUID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "wait", id: flow)
    }

    /// The stream of a client's grant.
    package static func grant(_ id: GrantID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "grant", id: id.uuid)
    }

    package static func consent(_ employee: EmployeeID, to client: AppID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "consent", id: Consent.id(of: employee, to: client))
    }

    package static func invitation(_ id: InvitationID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "invitation", id: id.uuid)
    }

    /// The stream of an attempt at a user's credentials.
    package static func attempt(_ id: UUID, of user: UserID) -> StreamID {
        StreamID(ledger: .directory(of: user), kind: "attempt", id: id)
    }

    package static func app(_ id: AppID) -> StreamID {
        StreamID(ledger: .system, kind: "app", id: id.uuid)
    }

    /// The decisions about the time of a ledger.
    package static func ledgerTime(_ ledger: LedgerID) -> StreamID {
        StreamID(ledger: .system, kind: "ledger", id: ledger.uuid)
    }

    /// How the log begins.
    package static let system = StreamID(ledger: .system, kind: "system", id: LedgerID.system.uuid)

    /// The replacements of keys that sign tokens.
    package static let tokenKeys = StreamID(ledger: .system, kind: "tokenkeys", id: LedgerID.system.uuid)

    /// The name and the origins of passkeys.
    package static let origins = StreamID(ledger: .system, kind: "origins", id: LedgerID.system.uuid)

    package static let disowned = StreamID(ledger: .system, kind: "disowned", id: LedgerID.system.uuid)

    package static let checkpoints = StreamID(ledger: .system, kind: "checkpoints", id: LedgerID.system.uuid)
}

extension LedgerID {
    /// A user's directory: the first byte of the random id, for ever.
    package static func directory(of user: UserID) -> LedgerID { .directory(user.uuid.firstByte) }
}

extension UUID {
    fileprivate var firstByte: UInt8 { uuid.0 }
}
