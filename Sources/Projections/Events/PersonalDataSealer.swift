public import Canonical
public import FoundationEssentials
public import Identity
public import Keys

/// Seals and opens the personal members of one event, bound to that event's ledger, id and place.
///
/// A member whose key is not among the given ones opens without its text: that is what an erased person looks like,
/// and also what deciders see that need no names.
public struct PersonalDataSealer: PersonalDataCoder, Sendable {
    private let ledger: UUID
    private let event: UUID
    private let keys: [UUID: PersonKey]

    /// Serves one event.
    ///
    /// - Parameter keys: The keys by their ids, which are the ids of users and employees.
    public init(ledger: UUID, event: UUID, keys: [UUID: PersonKey]) {
        self.ledger = ledger
        self.event = event
        self.keys = keys
    }

    /// Seals a text under its owner's key; throws when that key is not there or the text was erased.
    public func seal(_ personal: Personal, at pointer: String) throws -> JSONValue {
        guard let key = keys[personal.owner], let text = personal.text else {
            throw PersonalDataUnavailable(owner: personal.owner)
        }
        return try key.seal(Array(text.utf8), ledger: ledger, event: event, pointer: pointer)
    }

    /// Opens a text; without the key the text is `nil`.
    public func open(_ value: JSONValue, at pointer: String) throws -> Personal {
        let sealed = try SealedPersonalData(value)
        guard let key = keys[sealed.key] else { return Personal(owner: sealed.key, text: nil) }
        let bytes = try key.open(sealed, ledger: ledger, event: event, pointer: pointer)
        return Personal(owner: sealed.key, text: String(decoding: bytes, as: UTF8.self))
    }
}

/// A personal text cannot be sealed, because its owner's key is not at hand.
public struct PersonalDataUnavailable: Error, Sendable, CustomStringConvertible {
    /// The user or employee.
    public let owner: UUID
    /// Safe to show: it holds a random id.
    public var description: String { "no key for \(owner.lowercased)" }
}
