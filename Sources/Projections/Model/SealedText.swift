public import Canonical
public import FoundationEssentials
public import Keys

/// A personal text as a view keeps it: sealed, with what the seal is bound to, so that the person's key opens it.
public struct SealedText: Sendable, Hashable {
    /// The event it comes from.
    public let event: UUID
    /// Its place in that event's entry, a JSON pointer such as `/data/email`.
    public let pointer: String
    /// The sealed text.
    public let sealed: SealedPersonalData

    /// Makes a text of its parts.
    public init(event: UUID, pointer: String, sealed: SealedPersonalData) {
        self.event = event
        self.pointer = pointer
        self.sealed = sealed
    }

    /// The person, and the id of the key that opens the text.
    public var owner: UUID { sealed.key }

    /// Opens the text with the key of its owner; nil when that key is not among those given, as after an erasure.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid`` when the text was changed or moved.
    public func open(with keys: [UUID: PersonKey], in ledger: UUID) throws(KeysError) -> String? {
        guard let key = keys[owner] else { return nil }
        let bytes = try key.open(sealed, ledger: ledger, event: event, pointer: pointer)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The form in the database: `{"event", "pointer", "sealed": {"c", "k"}}`, canonical.
    public var json: JSONValue {
        .object(["event": .uuid(event), "pointer": .string(pointer), "sealed": sealed.json])
    }

    /// Reads the form in the database.
    init(_ json: JSONValue) throws {
        var reader = try ObjectReader(json)
        event = try reader.uuid("event")
        pointer = try reader.string("pointer")
        sealed = try SealedPersonalData(try reader.value("sealed"))
        try reader.finish()
    }
}
