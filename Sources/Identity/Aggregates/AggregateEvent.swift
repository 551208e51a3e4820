/// The closed set of events that one aggregate folds.
public protocol AggregateEvent: Sendable, Equatable {
    /// The types of events in the set.
    static var payloads: [any EventPayload.Type] { get }
    /// The event itself.
    var payload: any EventPayload { get }
    /// Takes an event of the set; nil for any other, which the caller must treat as an error.
    init?(_ payload: any EventPayload)
}
