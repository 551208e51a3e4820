/// A pure state machine: commands are decided against a state folded from events.
///
/// Whatever a decision needs beside the state (time, identifiers, randomness, who asks) comes with the command.
public protocol Decider {
    /// What is known of one aggregate.
    associatedtype State: Sendable, Equatable
    /// What somebody wants.
    associatedtype Command: Sendable
    /// What happened.
    associatedtype Event: AggregateEvent
    /// Why a command is refused.
    associatedtype Rejection: CodedRejection

    /// What is known before the first event.
    static var initial: State { get }
    /// Takes an event into the state; total, because what happened cannot be refused.
    static func evolve(_ state: inout State, _ recorded: Recorded<Event>)
    /// The events that a command leads to; none when it asks for what is so already.
    static func decide(_ state: State, _ command: Command) throws(Rejection) -> [Event]
}

extension Decider {
    /// The state after events, in order.
    public static func fold(_ events: some Sequence<Recorded<Event>>, from state: State = initial) -> State {
        var state = state
        for event in events { evolve(&state, event) }
        return state
    }
}

/// A refusal with a code that is part of the contract with apps.
public protocol CodedRejection: Error, Sendable, Equatable {
    /// The stable identifier, such as `employee.already_registered`.
    var code: String { get }
}
