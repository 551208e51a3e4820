package import Canonical
package import ErrorCodes
package import FoundationEssentials

/// A pure state machine that decides commands against a state folded from events.
///
/// The command carries everything else that a decision needs: time, ids, randomness and the caller.
package protocol Decider {
    /// The state of one aggregate. Its `version` is that of the stream that an append expects, 0 before any event.
    associatedtype State: Sendable, Equatable
    /// The requests that the aggregate decides.
    associatedtype Command: Sendable
    associatedtype Event: AggregateEvent
    /// The reasons to reject a command.
    associatedtype Rejection: CodedRejection

    /// The state before the first event.
    static var initial: State { get }
    /// Applies an event to the state. It cannot fail, because a recorded event cannot be refused.
    static func evolve(_ state: inout State, _ recorded: Recorded<Event>)
    /// Decides a command.
    ///
    /// - Returns: The events that follow, or none if the state already is as requested.
    /// - Throws: The rejection.
    static func decide(_ state: State, _ command: Command) throws(Rejection) -> [Event]
}

extension Decider {
    /// Returns the state after events, applied in order.
    package static func fold(_ events: some Sequence<Recorded<Event>>, from state: State = initial) -> State {
        var state = state
        for event in events { evolve(&state, event) }
        return state
    }
}

/// A rejection with a code of the API contract.
package protocol CodedRejection: Error, Sendable, Equatable {
    /// The code, such as `employee.already_registered`.
    var code: ErrorCode { get }
    /// What the caller needs to know besides the code: a clause without a full stop; `nil` if the code tells enough.
    var reason: String? { get }
}

extension CodedRejection {
    /// The code tells enough.
    package var reason: String? { nil }
}

/// The closed set of events that one aggregate folds.
package protocol AggregateEvent: Sendable, Equatable {
    static var cases: AggregateCases<Self> { get }
    var payload: any EventPayload { get }
}

extension AggregateEvent {
    package static var payloads: [any EventPayload.Type] { cases.payloads }

    /// Wraps a payload of the set; `nil` for any other, which the caller must treat as an error.
    package init?(_ payload: any EventPayload) {
        guard let event = Self.cases.wraps[ObjectIdentifier(type(of: payload))]?(payload) else { return nil }
        self = event
    }
}

/// The cases of an aggregate's event, each of which wraps the payload of one type.
package struct AggregateCases<Event: Sendable>: Sendable {
    fileprivate private(set) var payloads: [any EventPayload.Type] = []
    fileprivate private(set) var wraps: [ObjectIdentifier: @Sendable (any EventPayload) -> Event?] = [:]

    init<each Payload: EventPayload>(_ wrap: repeat @escaping @Sendable (each Payload) -> Event) {
        repeat add(each wrap)
    }

    private mutating func add<Payload: EventPayload>(_ wrap: @escaping @Sendable (Payload) -> Event) {
        payloads.append(Payload.self)
        wraps[ObjectIdentifier(Payload.self)] = { ($0 as? Payload).map(wrap) }
    }
}

/// An event with the place and time of its record, which `evolve` may use besides the event.
package struct Recorded<Event: Sendable & Equatable>: Sendable, Equatable {
    package var event: Event
    /// The event's id.
    package var id: UUID
    /// When the event was recorded, by the ledger's clock.
    package var time: Timestamp
    /// The event's position in its ledger, from 1.
    package var position: Int64
    /// The event's version in its stream, from 1.
    package var version: Int

    package init(_ event: Event, id: UUID, time: Timestamp, position: Int64, version: Int) {
        self.event = event
        self.id = id
        self.time = time
        self.position = position
        self.version = version
    }

    /// The event's place in its ledger.
    package var place: EventPlace { EventPlace(id: id, position: position) }
}

/// The place of an event in its ledger, which statements name.
package struct EventPlace: Sendable, Hashable {
    package let id: UUID
    /// The event's position in its ledger, from 1.
    package let position: Int64

    package init(id: UUID, position: Int64) {
        self.id = id
        self.position = position
    }
}
