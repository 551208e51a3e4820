public import FoundationEssentials
public import Identity
public import Keys
public import Ledger

/// Turns the domain's events into the ledger's and back.
public enum EventCodec {
    /// The ledger's form of an event; personal members are sealed under `keys`.
    public static func encode(
        _ payload: any EventPayload, id: UUID, stream: StreamID, keys: [UUID: PersonKey], metadata: EventMetadata
    ) throws -> NewEvent {
        let sealer = PersonalDataSealer(ledger: stream.ledger.uuid, event: id, keys: keys)
        return NewEvent(
            id: id, stream: stream, type: type(of: payload).type, schema: type(of: payload).schema,
            data: try payload.encode(using: sealer), actor: metadata.actor, app: metadata.app,
            requestId: metadata.requestId, source: try metadata.source.map { try sealer.seal($0, at: "/source") },
            causes: metadata.causes)
    }

    /// The payload of a recorded event; an unknown type is an error, never a skip.
    public static func payload(of event: RecordedEvent, keys: [UUID: PersonKey] = [:]) throws -> any EventPayload {
        try EventCatalogue.decode(
            type: event.type, schema: event.schema, data: event.data,
            using: PersonalDataSealer(ledger: event.ledger.uuid, event: event.id, keys: keys))
    }

    /// A recorded event as one of its aggregate's.
    ///
    /// - Throws: What decoding throws, or ``UnexpectedEvent`` when the event does not belong to that aggregate.
    public static func decode<Event: AggregateEvent>(
        _ event: RecordedEvent, as: Event.Type = Event.self, keys: [UUID: PersonKey] = [:]
    ) throws -> Recorded<Event> {
        guard let aggregate = Event(try payload(of: event, keys: keys)) else {
            throw UnexpectedEvent(type: event.type, stream: event.stream.text)
        }
        return Recorded(
            aggregate, id: event.id, time: event.time, position: event.position, version: event.streamVersion)
    }
}

/// What an event carries beside its payload.
public struct EventMetadata: Sendable {
    /// The employee who acted.
    public var actor: UUID?
    /// The app through which they acted.
    public var app: UUID?
    /// The request.
    public var requestId: String?
    /// The source address, sealed under its owner's key.
    public var source: Personal?
    /// The events that led to this one.
    public var causes: [UUID]

    /// Describes who acted, and how.
    public init(
        actor: UUID? = nil, app: UUID? = nil, requestId: String? = nil, source: Personal? = nil, causes: [UUID] = []
    ) {
        self.actor = actor
        self.app = app
        self.requestId = requestId
        self.source = source
        self.causes = causes
    }
}

/// An event stands in a stream where its type has no place.
public struct UnexpectedEvent: Error, Sendable, CustomStringConvertible {
    /// The type.
    public let type: String
    /// The stream, `kind/uuid`.
    public let stream: String
    /// Safe to show: type and random id.
    public var description: String { "\(type) does not belong into \(stream)" }
}
