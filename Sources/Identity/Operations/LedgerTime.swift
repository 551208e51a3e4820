public import Canonical
public import ErrorCodes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whether the operator accepted the time of a ledger whose latest event is ahead of the clock.
public enum LedgerTime: Decider {
    /// The events about a ledger's time.
    public typealias Event = LedgerTimeEvent

    /// The state, folded from the events.
    public struct State: Sendable, Equatable {
        /// The latest time that was accepted; `nil` if none was.
        public internal(set) var accepted: Timestamp?
    }

    /// The command to accept a time.
    public struct Accept: Sendable, Equatable {
        /// The ledger.
        public var ledger: UUID
        /// The position of its latest event.
        public var position: Int64
        /// The time of that event.
        public var time: Timestamp
        /// The latest time that needs no acceptance: the clock's with the tolerance of appends.
        public var latest: Timestamp
        /// Who decides.
        public var decision: AuthorityDecision

        /// Each parameter sets the property of the same name.
        public init(
            ledger: UUID, position: Int64, time: Timestamp, latest: Timestamp, decision: AuthorityDecision
        ) {
            self.ledger = ledger
            self.position = position
            self.time = time
            self.latest = latest
            self.decision = decision
        }
    }

    /// The reasons to reject a command.
    public enum Rejection: CodedRejection, CaseIterable {
        /// Somebody other than the operator decides.
        case notPermitted

        /// The code of the contract.
        public var code: ErrorCode { .authorizationNotPermitted }
    }

    /// Nothing was accepted.
    public static let initial = State()

    /// Applies an event.
    public static func evolve(_ state: inout State, _ recorded: Recorded<LedgerTimeEvent>) {
        switch recorded.event {
        case .accepted(let event): state.accepted = event.time
        }
    }

    /// Accepts the time; does nothing for a ledger that is not ahead, or whose time is accepted.
    public static func decide(_ state: State, _ command: Accept) throws(Rejection) -> [LedgerTimeEvent] {
        guard case .operator = command.decision.caller else { throw .notPermitted }
        guard command.time > command.latest, state.accepted.map({ $0 < command.time }) ?? true else { return [] }
        return [
            .accepted(
                LedgerTimeAccepted(
                    ledger: command.ledger, position: command.position, time: command.time,
                    by: command.decision.authority))
        ]
    }
}

/// The events about the time of a ledger.
public enum LedgerTimeEvent: AggregateEvent {
    /// The operator accepted the time.
    case accepted(LedgerTimeAccepted)

    /// The event types of this aggregate.
    public static let payloads: [any EventPayload.Type] = [LedgerTimeAccepted.self]

    /// The payload of the event.
    public var payload: any EventPayload {
        switch self {
        case .accepted(let event): event
        }
    }

    /// Wraps a payload of this aggregate; `nil` for any other.
    public init?(_ payload: any EventPayload) {
        guard let event = payload as? LedgerTimeAccepted else { return nil }
        self = .accepted(event)
    }
}
