import Canonical
import FoundationEssentials
import Ledger
import Projections

/// An event in a few words for a person.
enum EventWords {
    /// Members that say something at a glance, in the order in which they are said; the others are ids, keys, proofs.
    private static let members: [(name: String, label: String?)] = [
        ("companyName", nil), ("name", nil), ("companyEmployeeId", nil), ("email", nil), ("domain", nil),
        ("keyAuthorization", "keys by"), ("approval", "approval"), ("purpose", nil), ("mode", nil),
        ("device", "device"),
        ("spent", "spent"), ("limit", "of"), ("roles", "roles"), ("reason", "reason"), ("note", "note"),
        ("until", "until"), ("expiresAt", "until"),
    ]
    private static let flags: [(name: String, yes: String?, no: String?)] = [
        ("approved", "approved", "not approved"), ("first", "first key", "further key"),
        ("blindOnly", "blind only", nil), ("questionsWithPassphrase", nil, "no questions beside a passphrase"),
    ]

    /// What an event says; `names` are those of employees by their ids.
    static func summary(_ event: OpenedEvent, names: [UUID: String]) -> String {
        var words: [String] = []
        if event.data["companyEmployeeId"] == nil, let id = uuid(event.data["employeeId"]) {
            words.append(name(id, names))
        }
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

    /// Who did it: the employee by name where there is one, else the app.
    static func who(_ event: OpenedEvent, names: [UUID: String]) -> String {
        if let actor = event.recorded.actor { return name(actor, names) }
        return event.recorded.app.map { "app \(short($0))" } ?? ""
    }

    /// The ids of employees whose names a reader wants.
    static func people(_ event: OpenedEvent) -> [UUID] {
        [event.recorded.actor, uuid(event.data["employeeId"]), uuid(event.data["by"]?["employee"])].compactMap(\.self)
    }

    /// The first eight characters of an id: enough to tell neighbours apart.
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
