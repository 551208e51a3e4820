public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An event that is to be appended; its version, its time and its position follow from the append.
public struct NewEvent: Sendable, Equatable {
    /// Its identifier. A retry must use the same, so that the first outcome is found.
    public var id: UUID
    /// The stream it is appended to.
    public var stream: StreamID
    /// What happened: an upper-case ASCII letter, then up to 63 letters or digits.
    public var type: String
    /// The version of the type's fields, from 1.
    public var schema: Int
    /// What happened in detail: an object whose names are ASCII, without null.
    public var data: JSONValue
    /// The user or employee who did it.
    public var actor: UUID?
    /// The app through which it was done.
    public var app: UUID?
    /// The request it was done in: `[A-Za-z0-9._-]{1,64}`.
    public var requestId: String?
    /// Where the request came from, sealed: an object.
    public var source: JSONValue?
    /// The events it follows from.
    public var causes: [UUID]

    /// Makes an event; it is checked when it is appended.
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
