package import Canonical
package import FoundationEssentials
package import Identity
package import Keys
package import Ledger

/// Converts the domain's events to the ledger's and back.
///
/// ```swift
/// let event = try EventCodec.encode(payload, id: id, stream: stream, keys: keys, metadata: EventMetadata(app: app))
/// let recorded: Recorded<EmployeeEvent> = try EventCodec.decode(recordedEvent, keys: keys)
/// ```
package enum EventCodec {
    /// Encodes an event for the ledger. Personal members are encrypted under `keys`.
    ///
    /// - Throws: ``PersonalDataUnavailable`` if an owner's key is missing, and `KeysError`.
    package static func encode(
        _ payload: any EventPayload, id: UUID, stream: StreamID, keys: [UUID: PersonKey], metadata: EventMetadata
    ) throws -> NewEvent {
        let sealer = PersonKeyCoder(ledger: stream.ledger.uuid, event: id, keys: keys)
        return NewEvent(
            id: id, stream: stream, type: type(of: payload).type, schema: payload.schema,
            data: try payload.encode(using: sealer), actor: metadata.actor, app: metadata.app,
            requestId: metadata.requestId, source: try metadata.source.map { try sealer.seal($0, at: "/source") },
            causes: metadata.causes)
    }

    /// Decodes the payload of a recorded event. An unknown type is an error and is never skipped.
    package static func payload(of event: RecordedEvent, keys: [UUID: PersonKey] = [:]) throws -> any EventPayload {
        try EventCatalogue.decode(
            type: event.type, schema: event.schema, data: event.data,
            using: PersonKeyCoder(ledger: event.ledger.uuid, event: event.id, keys: keys))
    }

    /// Decodes a recorded event as one of its aggregate's.
    ///
    /// - Throws: What decoding throws, or ``UnexpectedEvent`` if the event does not belong to that aggregate.
    package static func decode<Event: AggregateEvent>(
        _ event: RecordedEvent, as: Event.Type = Event.self, keys: [UUID: PersonKey] = [:]
    ) throws -> Recorded<Event> {
        guard let aggregate = Event(try payload(of: event, keys: keys)) else {
            throw UnexpectedEvent(type: event.type, stream: event.stream.text)
        }
        return Recorded(
            aggregate, id: event.id, time: event.time, position: event.position, version: event.streamVersion)
    }
}

/// The members that an event carries beside its payload.
package struct EventMetadata: Sendable {
    /// The user or employee who acted.
    package var actor: UUID?
    /// The app through which they acted.
    package var app: UUID?
    package var requestId: String?
    /// The source address, to be encrypted under its owner's key.
    package var source: Personal?
    package var causes: [UUID]

    /// The metadata of an action.
    package init(
        actor: UUID? = nil, app: UUID? = nil, requestId: String? = nil, source: Personal? = nil, causes: [UUID] = []
    ) {
        self.actor = actor
        self.app = app
        self.requestId = requestId
        self.source = source
        self.causes = causes
    }
}

/// An event lies in a stream where its type does not belong.
package struct UnexpectedEvent: Error, Sendable, CustomStringConvertible {
    package let type: String
    /// The stream, `kind/uuid`.
    package let stream: String
    /// The type and a random id, safe to show.
    package var description: String { "\(type) does not belong into \(stream)" }
}

/// Encrypts and decrypts the personal members of one event, bound to that event's ledger, id and member.
///
/// A member whose key is not among the given ones decodes without its text. This is the case for an erased person, and
/// for deciders that need no names.
package struct PersonKeyCoder: PersonalDataCoder, Sendable {
    private let ledger: UUID
    private let event: UUID
    private let keys: [UUID: PersonKey]

    /// A coder for one event.
    ///
    /// - Parameter keys: The person keys by their ids, which are the ids of users and employees.
    package init(ledger: UUID, event: UUID, keys: [UUID: PersonKey]) {
        self.ledger = ledger
        self.event = event
        self.keys = keys
    }

    /// Encrypts a text under its owner's key.
    ///
    /// - Throws: ``PersonalDataUnavailable`` if that key is missing or the text was erased, and `KeysError`.
    package func seal(_ personal: Personal, at pointer: String) throws -> JSONValue {
        guard let key = keys[personal.owner], let text = personal.text else {
            throw PersonalDataUnavailable(owner: personal.owner)
        }
        return try key.seal(Array(text.utf8), ledger: ledger, event: event, pointer: pointer)
    }

    /// Decrypts a text. Without the key the text is `nil`.
    ///
    /// - Throws: `KeysError` if the text was changed or moved, and `JSONError` if the value is malformed.
    package func open(_ value: JSONValue, at pointer: String) throws -> Personal {
        let sealed = try SealedPersonalData(value)
        guard let key = keys[sealed.key] else { return Personal(owner: sealed.key, text: nil) }
        let bytes = try key.open(sealed, ledger: ledger, event: event, pointer: pointer)
        return Personal(owner: sealed.key, text: String(decoding: bytes, as: UTF8.self))
    }
}

/// A personal text cannot be encrypted, because its owner's key is missing.
package struct PersonalDataUnavailable: Error, Sendable, CustomStringConvertible {
    /// The user's or employee's id.
    package let owner: UUID
    /// A random id, safe to show.
    package var description: String { "no key for \(owner.lowercased)" }
}

/// An encrypted personal text in a projection, with what the encryption is bound to.
package struct SealedText: Sendable, Hashable {
    /// The event that it comes from.
    package let event: UUID
    /// Its place in that event's entry, as a JSON pointer such as `/data/email`.
    package let pointer: String
    package let sealed: SealedPersonalData

    /// A text with its parts.
    package init(event: UUID, pointer: String, sealed: SealedPersonalData) {
        self.event = event
        self.pointer = pointer
        self.sealed = sealed
    }

    /// The owner's id, which is also the id of the key.
    package var owner: UUID { sealed.key }

    /// Decrypts the text with its owner's key. Returns `nil` if that key is not among those given, as after an erasure.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid`` if the text was changed or moved.
    package func open(with keys: [UUID: PersonKey], in ledger: UUID) throws(KeysError) -> String? {
        guard let key = keys[owner] else { return nil }
        let bytes = try key.open(sealed, ledger: ledger, event: event, pointer: pointer)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The stored form: `{"event", "pointer", "sealed": {"c", "k"}}`, canonical.
    package var json: JSONValue {
        .object(["event": .uuid(event), "pointer": .string(pointer), "sealed": sealed.json])
    }

    /// Reads the form in the database.
    ///
    /// - Throws: `JSONError`, and ``KeysError/Code/sealMalformed`` when the sealed text is none.
    package init(_ json: JSONValue) throws {
        var reader = try ObjectReader(json)
        event = try reader.uuid("event")
        pointer = try reader.string("pointer")
        sealed = try SealedPersonalData(try reader.value("sealed"))
        try reader.finish()
    }
}
