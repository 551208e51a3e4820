/// What is recorded of the checkpoints of all ledgers.
public enum CheckpointEvent: AggregateEvent {
    /// Checkpoints were signed.
    case sealed(CheckpointSealed)

    /// The types of events this aggregate has.
    public static let payloads: [any EventPayload.Type] = [CheckpointSealed.self]

    /// The event itself.
    public var payload: any EventPayload {
        switch self {
        case .sealed(let event): event
        }
    }

    /// Takes an event of this aggregate; nil for any other.
    public init?(_ payload: any EventPayload) {
        guard let event = payload as? CheckpointSealed else { return nil }
        self = .sealed(event)
    }
}
