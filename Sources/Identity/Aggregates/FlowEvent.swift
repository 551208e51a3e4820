/// What a flow leaves in the log.
public enum FlowEvent: AggregateEvent {
    /// Three right answers opened the user key.
    case answersValidated(AnswersValidated)
    /// The passphrase opened the user key.
    case passphraseValidated(PassphraseValidated)

    /// The types of events this aggregate has.
    public static let payloads: [any EventPayload.Type] = [
        AnswersValidated.self, PassphraseValidated.self,
    ]

    /// The event itself.
    public var payload: any EventPayload {
        switch self {
        case .answersValidated(let event): event
        case .passphraseValidated(let event): event
        }
    }

    /// Takes an event of this aggregate; nil for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as AnswersValidated: self = .answersValidated(event)
        case let event as PassphraseValidated: self = .passphraseValidated(event)
        default: return nil
        }
    }
}
