package import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
package import TenureAPI

/// Pages through a tenant's ledger, with personal members decrypted while the key exists. The type of a failed attempt,
/// with an employee, lists ``FailedAttempts``.
package struct PageEntries: UseCase {
    /// The largest number of ledger pages that one call reads, which bounds the cost of a filter with few matches.
    /// Types are compared here: the database would read the whole ledger for a rare type.
    static let maximumPages = 20
    /// The number of events of a page if there is a filter.
    static let filteredPage = 500
    package let company: String
    package let query: EventQuery
    package let caller: Caller

    package init(company: String, query: EventQuery, caller: Caller) {
        self.company = company
        self.query = query
        self.caller = caller
    }

    /// The refusal of a type that no event has. It names the event that is meant if only the case differs.
    private static func unknown(type: String) -> ServiceError {
        let meant = EventCatalogue.all.first { $0.type.lowercased() == type.lowercased() }
        let hint = meant.map { "write \($0.type)" } ?? "each event of this list has its type in the member type"
        return ServiceError(
            .requestInvalid, members: [.init(.parameter("type"), detail: "no event has this type: \(hint)")])
    }

    package func run(_ run: UseCaseRun<PageResponse<EventResponse>>) async throws -> PageResponse<EventResponse> {
        let context = run.context
        let access = try await context.access(company, caller, role: .authorization)
        if let type = query.type, !EventCatalogue.isKnown(type: type) { throw Self.unknown(type: type) }
        let ledger = LedgerID(access.tenant.id.uuid)
        let found = try await query.employee.asyncMap { try await context.employee($0, in: access.tenant.id) }
        // One's own events are a question of every day. Those of the others are all of it, person by person.
        if !isOwn(found?.id) { try await context.requireRecentLogIn(of: caller, at: run.call.time) }
        var concerned: Set<UUID>?
        if let found {
            let id = found.id
            if let type = query.type, FailedAttempts.types.contains(type), let account = found.state.account {
                let attempts = try await FailedAttempts(at: found, account, in: access.tenant, context)
                return try await attempts.run(query, at: run.call.time)
            }
            let identities = try await context.mpinIdentities(linkedTo: id, in: access.tenant.id)
            concerned = Set([id.uuid] + identities.map(\.uuid))
        }
        var items: [EventResponse] = []
        var cursor = query.page.after
        let limit = query.type == nil && concerned == nil ? query.page.limit : max(query.page.limit, Self.filteredPage)
        func isWanted(_ event: RecordedEvent) -> Bool {
            (query.type.map { $0 == event.type } ?? true) && (concerned.map { Self.concerns(event, $0) } ?? true)
        }
        for _ in 0..<Self.maximumPages {
            let page = try await context.reader.ledger(ledger, after: cursor, limit: limit)
            let wanted = page.events.filter(isWanted).prefix(query.page.limit - items.count)
            let keys = try await keys(for: wanted, in: ledger, context)
            for event in page.events {
                if let asOf = query.asOf, event.time > asOf { return PageResponse(items: items, next: nil) }
                cursor = event.position
                guard isWanted(event) else { continue }
                items.append(Self.view(of: event, keys))
                if items.count == query.page.limit {
                    return PageResponse(items: items, next: cursor < page.size ? cursor : nil)
                }
            }
            cursor = page.cursor
            guard page.hasMore else { return PageResponse(items: items, next: nil) }
        }
        return PageResponse(items: items, next: cursor)
    }

    /// Whether an employee is the caller.
    private func isOwn(_ employee: EmployeeID?) -> Bool {
        guard case .employee(let person) = caller else { return false }
        return employee?.uuid == person.employeeId
    }

    private func keys(
        for events: some Collection<RecordedEvent>, in ledger: LedgerID, _ context: ServiceContext
    ) async throws -> [UUID: PersonKey] {
        let ids = events.reduce(into: Set<UUID>()) { $0.formUnion(OpenedEvent.owners($1)) }
        return try await context.personKeys.load(Array(ids), ledger: ledger.uuid)
    }

    /// Whether an event was done by or to one of these: an employee, or an M-Pin identity of theirs.
    private static func concerns(_ event: RecordedEvent, _ subjects: Set<UUID>) -> Bool {
        let named = [event.actor, event.stream.id, event.data["employeeId"]?.uuid, event.data["identityId"]?.uuid]
        return named.contains { $0.map(subjects.contains) ?? false }
    }

    private static func view(of event: RecordedEvent, _ keys: [UUID: PersonKey]) -> EventResponse {
        EventResponse(
            position: event.position, eventId: event.id, type: event.type, stream: event.stream.text,
            streamVersion: Int64(event.streamVersion), time: event.time, actor: event.actor, app: event.app,
            requestId: event.requestId, data: OpenedEvent(event, keys: keys).data)
    }
}

/// Proves that an event is in a tenant's ledger, with a self-contained proof file (C2SP tlog-proof).
package struct ProveEvent: UseCase {
    /// The event's position in the ledger.
    package let position: Int64
    package let company: String
    package let caller: Caller

    package init(position: Int64, company: String, caller: Caller) {
        self.position = position
        self.company = company
        self.caller = caller
    }

    /// Returns the proof; `nil` if the position does not exist.
    ///
    /// - Throws: `service.unavailable` for an event that no checkpoint covers yet.
    package func run(_ run: UseCaseRun<String?>) async throws -> String? {
        let context = run.context
        let access = try await context.access(company, caller, role: .authorization)
        let ledger = LedgerID(access.tenant.id.uuid)
        guard let event = try await context.reader.event(ledger, at: position) else { return nil }
        let signed = try await ReadCheckpoint.checkpoint(ledger, context), checkpoint = signed.checkpoint
        guard position <= checkpoint.size else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        var prover = MerkleProver(
            size: checkpoint.size, source: LedgerHashes(reader: context.reader, ledger: ledger))
        let path = try await prover.inclusion(of: position - 1)
        // A proof that fails would be worse than none: somebody changed the log.
        let root = MerkleProof.root(leaf: event.leaf, index: position - 1, size: checkpoint.size, path: path)
        guard root == checkpoint.root else {
            context.logger.error("a ledger differs from its signed checkpoint", metadata: ["ledger": "\(ledger)"])
            throw ServiceError(.serviceUnavailable)
        }
        return TlogProof(index: position - 1, path: path, checkpoint: signed).text
    }
}

/// Reads the newest signed checkpoint of a tenant's ledger.
package struct ReadCheckpoint: UseCase {
    package let company: String
    package let caller: Caller

    package init(company: String, caller: Caller) {
        self.company = company
        self.caller = caller
    }

    /// Returns the signed note.
    package func run(_ run: UseCaseRun<String>) async throws -> String {
        let access = try await run.context.access(company, caller, role: .authorization)
        return try await Self.checkpoint(LedgerID(access.tenant.id.uuid), run.context).note.text
    }

    /// - Throws: `service.unavailable` before the first checkpoint, which is signed within about a second.
    static func checkpoint(_ ledger: LedgerID, _ context: ServiceContext) async throws -> SignedCheckpoint {
        guard let checkpoint = try await context.reader.checkpoint(ledger) else {
            throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
        }
        return checkpoint
    }
}

/// Reads the newest anchor. It is public: it names no tenant and counts only the system's own events.
package struct ReadAnchor: UseCase {
    /// The use case has no parameters.
    package init() {}

    /// Returns the key, an empty line and the signed note.
    ///
    /// - Throws: `service.unavailable` before the first checkpoint.
    package func run(_ run: UseCaseRun<String>) async throws -> String {
        guard let checkpoint = try await run.context.reader.checkpoint(.system) else {
            throw ServiceError(.serviceUnavailable)
        }
        return try Anchor(key: try run.context.logKey, checkpoint: checkpoint).text
    }
}

extension ServiceContext {
    /// The public half of the key that signs checkpoints.
    var logKey: LogKey {
        get throws {
            let secret = try ring.checkpointSigningKey()
            return try CheckpointSigner(name: settings.issuer, secret: secret).key
        }
    }
}

/// Reads a tile of hashes or a bundle of entries that the checkpoint of a tenant's ledger covers.
package struct ReadTile: UseCase {
    /// The path after `tile/`, such as `0/x001/234.p/17` or `entries/000`.
    package let path: String
    package let company: String
    package let caller: Caller

    package init(path: String, company: String, caller: Caller) {
        self.path = path
        self.company = company
        self.caller = caller
    }

    /// Returns the bytes; `nil` if the path is malformed, or goes beyond the checkpoint.
    package func run(_ run: UseCaseRun<[UInt8]?>) async throws -> [UInt8]? {
        let context = run.context
        let access = try await context.access(company, caller, role: .authorization)
        let ledger = LedgerID(access.tenant.id.uuid)
        guard let tile = TilePath("tile/\(path)") else { return nil }
        if case .entries = tile.content { try await context.requireRecentLogIn(of: caller, at: run.call.time) }
        let sealed = try await ReadCheckpoint.checkpoint(ledger, context).checkpoint.size
        guard tile.lastIndex < tile.count(inLogOf: sealed) else { return nil }
        switch tile.content {
        case .hashes(let level):
            let hashes = try await LedgerHashes(reader: context.reader, ledger: ledger).hashes(
                level: level, tile.firstIndex..<tile.lastIndex + 1)
            return hashes.flatMap(\.self)
        case .entries:
            let page = try await context.reader.ledger(ledger, after: tile.firstIndex, limit: Int(tile.width))
            return EntryBundle.encode(page.events.map(\.entry))
        }
    }
}

/// The filter of a list of events.
package struct EventQuery: Sendable {
    package var page: PageRequest
    /// Only events of this type.
    package var type: String?
    /// Only events that concern this employee id.
    package var employee: String?
    /// Only events recorded at this time or before.
    package var asOf: Timestamp?

    package init(
        _ page: PageRequest, type: String? = nil, employee: String? = nil, asOf: Timestamp? = nil
    ) {
        self.page = page
        self.type = type
        self.employee = employee
        self.asOf = asOf
    }
}
