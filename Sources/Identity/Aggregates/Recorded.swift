public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An event with where and when it was recorded: what `evolve` may know beside the event.
public struct Recorded<Event: Sendable & Equatable>: Sendable, Equatable {
    /// The event.
    public var event: Event
    /// The identifier of the event.
    public var id: UUID
    /// When it was recorded, by the ledger's clock.
    public var time: Timestamp
    /// Its position in its ledger, from 1.
    public var position: Int64
    /// Its version in its stream, from 1.
    public var version: Int

    /// Makes a recorded event.
    public init(_ event: Event, id: UUID, time: Timestamp, position: Int64, version: Int) {
        self.event = event
        self.id = id
        self.time = time
        self.position = position
        self.version = version
    }

    /// Where the event lies.
    public var place: EventPlace { EventPlace(id: id, position: position) }
}

/// Where an event lies in its ledger, for statements that name it.
public struct EventPlace: Sendable, Hashable {
    /// The identifier of the event.
    public let id: UUID
    /// Its position in its ledger, from 1.
    public let position: Int64

    /// Makes a place.
    public init(id: UUID, position: Int64) {
        self.id = id
        self.position = position
    }
}
