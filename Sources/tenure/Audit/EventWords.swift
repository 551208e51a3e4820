import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Summarizes events for people.
enum EventWords {
    /// The members that a summary shows, in order. The other members are ids, keys and proofs.
    private static let members: [(name: String, label: String?)] = [
        ("companyName", nil), ("name", nil), ("companyEmployeeId", nil), ("email", nil), ("domain", nil),
        ("keyAuthorization", "keys by"), ("approval", "approval"), ("purpose", nil), ("mode", nil),
        ("device", "device"), ("deviceName", "device"), ("verification", "verified by"), ("method", nil),
        ("spent", "spent"), ("failures", "wrong"), ("limit", "of"), ("lifetime", "in all"), ("roles", "roles"),
        ("resource", nil),
        ("reason", "reason"),
        ("note", "note"),
        ("availableAt", "available"), ("until", "until"), ("expiresAt", "until"), ("issueUntil", "until"),
    ]
    private static let flags: [(name: String, yes: String?, no: String?)] = [
        ("approved", "approved", "not approved"), ("first", "first key", "further key"),
        ("blindOnly", "blind only", nil), ("questionsWithPassphrase", nil, "no questions beside a passphrase"),
    ]

    /// Summarizes an event. `names` are the names of employees by their ids.
    static func summary(_ event: OpenedEvent, names: [UUID: String]) -> String {
        var words: [String] = []
        if event.data["companyEmployeeId"] == nil, let id = uuid(event.data["employeeId"]) {
            words.append(name(id, names))
        }
        words += mpin(event)
        for member in members {
            guard let text = text(event.data[member.name]) else { continue }
            words.append(member.label.map { "\($0) \(text)" } ?? text)
        }
        for flag in flags {
            guard case .bool(let value)? = event.data[flag.name], let word = value ? flag.yes : flag.no else {
                continue
            }
            words.append(word)
        }
        if let by = event.data["by"] { words.append("by \(authority(by, names))") }
        return words.joined(separator: ", ")
    }

    /// Names the M-Pin identity or the activation code that an event is about, and its user id.
    private static func mpin(_ event: OpenedEvent) -> [String] {
        let stream = event.recorded.stream
        switch stream.kind {
        case StreamID.mpinKind, StreamID.activationKind:
            let kind = stream.kind == StreamID.mpinKind ? "identity" : "code"
            let used = uuid(event.data["identityId"]).flatMap { $0 == stream.id ? nil : "by identity \(short($0))" }
            return ["\(kind) \(short(stream.id))", text(event.data["userId"]), used].compactMap(\.self)
        default: return uuid(event.data["identityId"]).map { ["identity \(short($0))"] } ?? []
        }
    }

    /// The actor: the employee by name if there is one, else the app.
    static func who(_ event: OpenedEvent, names: [UUID: String]) -> String {
        if let actor = event.recorded.actor { return name(actor, names) }
        return event.recorded.app.map { "app \(short($0))" } ?? ""
    }

    /// The ids of the employees whose names a summary shows.
    static func people(_ event: OpenedEvent) -> [UUID] {
        [event.recorded.actor, uuid(event.data["employeeId"]), uuid(event.data["by"]?["employee"])].compactMap(\.self)
    }

    /// The M-Pin identity that an event is about, if it is about one.
    static func mpinIdentity(_ event: OpenedEvent) -> UUID? {
        event.recorded.stream.kind == StreamID.mpinKind ? event.recorded.stream.id : uuid(event.data["identityId"])
    }

    /// The first eight characters of an id, enough to tell neighbouring ids apart.
    static func short(_ id: UUID) -> String { String(id.lowercased.prefix(8)) }

    private static func authority(_ by: JSONValue, _ names: [UUID: String]) -> String {
        let kind = text(by["kind"]) ?? ""
        if let employee = uuid(by["employee"]) { return name(employee, names) }
        if let app = uuid(by["app"]) { return "app \(short(app))" }
        return kind
    }

    private static func name(_ id: UUID, _ names: [UUID: String]) -> String { names[id] ?? short(id) }

    private static func uuid(_ value: JSONValue?) -> UUID? {
        guard case .string(let text)? = value else { return nil }
        return UUID(lowercased: text)
    }

    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)?: text
        case .integer(let number)?: String(number)
        case .array(let items)?: items.compactMap { text($0) }.joined(separator: " ")
        default: nil
        }
    }
}

/// The names of a tenant's employees, read from their registrations on demand.
struct EmployeeNames {
    /// The maximum number of cached names. When it is reached, the cache is cleared.
    private static let capacity = 10_000

    private let source: any EventSource
    private let ledger: LedgerID
    private(set) var names: [UUID: String] = [:]

    init(_ source: any EventSource, _ ledger: LedgerID) {
        self.source = source
        self.ledger = ledger
    }

    /// Reads the unknown names that some events mention.
    mutating func learn(_ events: [OpenedEvent]) async throws {
        if names.count > Self.capacity { names = [:] }
        try await learn(ids: events.flatMap(EventWords.people))
    }

    /// Reads the unknown names of some employees.
    mutating func learn(ids: some Sequence<UUID>) async throws {
        let unknown = Set(ids).subtracting(names.keys)
        guard ledger.isTenant, !unknown.isEmpty else { return }
        for event in try await source.registrations(of: Array(unknown), in: ledger) {
            // `[sealed]` is not a name: without keys the id says more.
            guard case .string(let name)? = event.data["companyEmployeeId"], name != OpenedEvent.sealed else {
                continue
            }
            names[event.recorded.stream.id] = name
        }
    }
}
