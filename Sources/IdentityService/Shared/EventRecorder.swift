import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Builds an append of events, each with what it changes in the rows beside the log, whichever use case decides it.
/// An event names its causes in the append; a use case names an earlier one in the metadata.
///
/// Events are recorded only while the statements that they carry are valid. The append raises the time of an event to
/// that of the ledger's latest one, and it must not raise it beyond the expiry: verification compares the recorded time
/// with the statement.
struct EventRecorder: Sendable {
    let context: ServiceContext
    /// When the events happen.
    let time: Timestamp
    /// What every event carries that gets no other metadata.
    var metadata: EventMetadata
    private(set) var events: [NewEvent] = []
    /// The versions of streams: of those that get events, and of others that must not change.
    var expectations: [StreamID: Int] = [:]
    var claims: [Claim] = []
    var releases: [ClaimRelease] = []
    /// Further statements of the transaction.
    var statements: [SQL] = []
    /// The ledgers, besides those of the events, whose rows ``statements`` touch.
    var ledgers: Set<LedgerID> = []
    /// The latest time at which the events may be recorded, besides the expiry of their statements.
    var notAfter: Timestamp?
    /// Whether the events may be as late as the ledger's latest event. What accepts the time of a ledger has that time,
    /// however late it is, and so no expiry.
    var mayFollowHead = false
    private var expiry: Timestamp?
    private var effects: [(effect: EventEffect, stream: StreamID, version: Int)] = []

    init(_ context: ServiceContext, at time: Timestamp, metadata: EventMetadata = EventMetadata()) {
        self.context = context
        self.time = time
        self.metadata = metadata
    }

    /// Adds an event and returns its id.
    ///
    /// - Parameter version: The version of the stream that the decision was made on. Later events of the stream follow.
    @discardableResult
    mutating func add(
        _ payload: any EventPayload, to stream: StreamID, version: Int, keys: [UUID: PersonKey] = [:],
        metadata: EventMetadata
    ) throws -> UUID {
        let id = UUID.random()
        if let signed = payload.statement {
            guard let end = StatementContext.expiry(ofStatement: signed.statement) else {
                throw LedgerError(.invalidEvent, "an event carries a statement without an expiry")
            }
            expiry = min(expiry ?? end, end)
        }
        events.append(
            try EventCodec.encode(payload, id: id, stream: stream, keys: keys, metadata: metadata))
        let first = expectations[stream] ?? version, count = events.count { $0.stream == stream }
        expectations[stream] = first
        effects += payload.effects.map { ($0, stream, first + count) }
        return id
    }

    /// The append at a time.
    ///
    /// - Parameter reply: The statements that depend on where the events are recorded.
    func append(at time: Timestamp, _ reply: @escaping @Sendable (AppendReceipt) -> [SQL] = { _ in [] }) -> Append {
        let ring = context.ring, first = claims.map { $0.coding(ring) } + statements
        let last = effects.map { Self.statement($0.effect, in: $0.stream.ledger, $0.version, at: time, ring) }
        let end = mayFollowHead ? nil : expiry
        var append = Append(
            events: CauseTable.naming(events), expectations: expectations, claims: claims, releases: releases,
            time: time,
            notAfter: [notAfter, end].compactMap(\.self).min(), effectLedgers: ledgers,
            effects: { appended in first + reply(appended) + last })
        append.mayFollowHead = mayFollowHead
        return append
    }

    /// Appends the events with a time that is not long past.
    @discardableResult
    func append(
        _ reply: @escaping @Sendable (AppendReceipt) -> [SQL] = { _ in [] }
    ) async throws(LedgerError) -> AppendReceipt {
        let earliest = await context.clock?.earliest()
        return try await context.appender.append(append(at: max(time, earliest ?? time), reply))
    }

    private static func statement(
        _ effect: EventEffect, in ledger: LedgerID, _ version: Int, at time: Timestamp, _ ring: KeyRing
    ) -> SQL {
        let tenant = TenantID(ledger.uuid)
        return switch effect {
        case .keyInForce(let key, let employee): KnownDevice(key.bytes, of: employee, in: tenant).insertion(ring)
        case .keyEnded(let key, let employee): KnownDevice(key.bytes, of: employee, in: tenant).deletion
        case .keysEnded(let employee): KnownDevice.deletions(of: employee, in: tenant)
        case .linkEnded(let app):
            SessionCutoff.unlinked(app, from: tenant, version: version, at: time).replacement(ring)
        case .secretEnded(let secret): SessionCutoff.revoked(secret, at: time).replacement(ring)
        }
    }
}

/// Builds an append on an ``EventRecorder``.
@dynamicMemberLookup
protocol EventRecording: Sendable {
    var recorder: EventRecorder { get set }
}

extension EventRecording {
    subscript<Value>(dynamicMember member: KeyPath<EventRecorder, Value>) -> Value { recorder[keyPath: member] }

    subscript<Value>(dynamicMember member: WritableKeyPath<EventRecorder, Value>) -> Value {
        get { recorder[keyPath: member] }
        set { recorder[keyPath: member] = newValue }
    }

    var context: ServiceContext { recorder.context }

    /// Adds an event and returns its id, see ``EventRecorder/add(_:to:version:keys:metadata:)``.
    @discardableResult
    mutating func add(
        _ payload: any EventPayload, to stream: StreamID, version: Int, keys: [UUID: PersonKey] = [:]
    ) throws -> UUID {
        try recorder.add(payload, to: stream, version: version, keys: keys, metadata: recorder.metadata)
    }

    /// Adds the events of one stream.
    mutating func add(
        _ events: [some AggregateEvent], to stream: StreamID, version: Int, keys: [UUID: PersonKey] = [:],
        metadata: EventMetadata? = nil
    ) throws {
        for event in events {
            try recorder.add(
                event.payload, to: stream, version: version, keys: keys, metadata: metadata ?? recorder.metadata)
        }
    }
}

extension EventRecorder: EventRecording {
    var recorder: EventRecorder {
        get { self }
        set { self = newValue }
    }
}
