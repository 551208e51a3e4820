public import Canonical
public import FoundationEssentials

/// An event to be appended. The append determines its version, time and position.
public struct NewEvent: Sendable, Equatable {
    /// The event's id. A retry must use the same one, so that the first outcome is found.
    public var id: UUID
    /// The stream to append it to.
    public var stream: StreamID
    /// The event's type: an upper-case ASCII letter, then up to 63 letters or digits.
    public var type: String
    /// The schema version of ``data``, from 1.
    public var schema: Int
    /// The event's content: an object whose names are ASCII, without null.
    public var data: JSONValue
    /// The user or employee who caused the event.
    public var actor: UUID?
    /// The app through which it was caused.
    public var app: UUID?
    /// The request that caused it: `[A-Za-z0-9._-]{1,64}`.
    public var requestId: String?
    /// The origin of the request as an object, encrypted.
    public var source: JSONValue?
    /// The events that caused this one.
    public var causes: [UUID]

    /// An event for `stream`. The append validates it.
    public init(
        id: UUID, stream: StreamID, type: String, schema: Int = 1, data: JSONValue, actor: UUID? = nil,
        app: UUID? = nil, requestId: String? = nil, source: JSONValue? = nil, causes: [UUID] = []
    ) {
        self.id = id
        self.stream = stream
        self.type = type
        self.schema = schema
        self.data = data
        self.actor = actor
        self.app = app
        self.requestId = requestId
        self.source = source
        self.causes = causes
    }
}

/// An event as it was recorded.
public struct RecordedEvent: Sendable, Equatable {
    /// The event's number in its ledger: 1, 2, 3 … without gaps, in the order of commits.
    public let position: Int64
    /// The id that the appender's caller gave it.
    public let id: UUID
    /// The stream it belongs to.
    public let stream: StreamID
    /// The event's number in its stream, from 1.
    public let streamVersion: Int
    /// The event's type.
    public let type: String
    /// The schema version of ``data``.
    public let schema: Int
    /// The event's time, which never runs backwards within a ledger.
    public let time: Timestamp
    /// The user or employee who caused the event.
    public let actor: UUID?
    /// The app through which it was caused.
    public let app: UUID?
    /// The request that caused it.
    public let requestId: String?
    /// The origin of the request as an object, encrypted.
    public let source: JSONValue?
    /// The events that caused this one.
    public let causes: [UUID]
    /// The event's content: an object.
    public let data: JSONValue
    /// The canonical JSON that is hashed, exported and verified.
    public let entry: [UInt8]
    /// The leaf hash of the entry (RFC 6962 §2.1), 32 bytes.
    public let leaf: [UInt8]

    /// The ledger it belongs to.
    public var ledger: LedgerID { stream.ledger }
}
