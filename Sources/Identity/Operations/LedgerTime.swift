package import Canonical
package import ErrorCodes
package import FoundationEssentials

/// Whether the operator accepted the time of a ledger whose latest event is ahead of the clock.
package enum LedgerTime: Decider {
    /// The events about a ledger's time.
    package typealias Event = LedgerTimeEvent

    /// The state, folded from the events.
    package struct State: Sendable, Equatable {
        /// The latest time that was accepted; `nil` if none was.
        package internal(set) var accepted: Timestamp?
    }

    /// The command to accept a time.
    package struct Accept: Sendable, Equatable {
        package var ledger: UUID
        /// The position of its latest event.
        package var position: Int64
        /// The time of that event.
        package var time: Timestamp
        /// The latest time that needs no acceptance: the clock's with the tolerance of appends.
        package var latest: Timestamp
        /// Who decides.
        package var decision: AuthorityDecision

        package init(
            ledger: UUID, position: Int64, time: Timestamp, latest: Timestamp, decision: AuthorityDecision
        ) {
            self.ledger = ledger
            self.position = position
            self.time = time
            self.latest = latest
            self.decision = decision
        }
    }

    package enum Rejection: CodedRejection, CaseIterable {
        /// Somebody other than the operator decides.
        case notPermitted

        package var code: ErrorCode { .authorizationNotPermitted }
    }

    /// Nothing was accepted.
    package static let initial = State()

    package static func evolve(_ state: inout State, _ recorded: Recorded<LedgerTimeEvent>) {
        switch recorded.event {
        case .accepted(let event): state.accepted = event.time
        }
    }

    /// Accepts the time; does nothing for a ledger that is not ahead, or whose time is accepted.
    package static func decide(_ state: State, _ command: Accept) throws(Rejection) -> [LedgerTimeEvent] {
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
package enum LedgerTimeEvent: AggregateEvent {
    case accepted(LedgerTimeAccepted)

    package static let cases = AggregateCases<LedgerTimeEvent>(accepted)

    package var payload: any EventPayload {
        switch self {
        case .accepted(let event): event
        }
    }
}
