public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One event of a tenant's ledger.
public struct EventResponse: Sendable, Equatable, ResponseObject {
    /// The position in the tenant's ledger, from 1; 0 for a failed attempt, which another ledger has.
    public var position: Int64
    /// The event's id.
    public var eventId: UUID
    /// The name of the event's type; it never changes.
    public var type: String
    /// The stream as `kind/uuid`.
    public var stream: String
    /// The event's version in its stream, from 1.
    public var streamVersion: Int64
    /// The time when the event was recorded.
    public var time: Timestamp
    /// The employee who acted, or `nil` if no employee did.
    public var actor: UUID?
    /// The app through which the actor acted.
    public var app: UUID?
    /// The id of the request that caused the event.
    public var requestId: String?
    /// The payload. Erased members are the string `[erased]`.
    public var data: JSONValue

    package init(
        position: Int64, eventId: UUID, type: String, stream: String, streamVersion: Int64, time: Timestamp,
        actor: UUID? = nil, app: UUID? = nil, requestId: String? = nil, data: JSONValue
    ) {
        self.position = position
        self.eventId = eventId
        self.type = type
        self.stream = stream
        self.streamVersion = streamVersion
        self.time = time
        self.actor = actor
        self.app = app
        self.requestId = requestId
        self.data = data
    }

    /// The members on the wire.
    public static let members = WireMembers<EventResponse>(
        "EventResponse", EventResponse.init, Member("position", \.position, .number()), Member("eventId", \.eventId),
        Member("type", \.type), Member("stream", \.stream), Member("streamVersion", \.streamVersion, .number()),
        Member("time", \.time), Member(optional: "actor", \.actor), Member(optional: "app", \.app),
        Member(optional: "requestId", \.requestId), Member("data", \.data, .any("EventData")))
}
