/// What happens to the budgets of credentials.
public enum AttemptEvent: AggregateEvent {
    /// An attempt was paid for, before what it pays for.
    case attemptCharged(AttemptCharged)
    /// The charges of a flow that ended well were given back.
    case attemptsCleared(AttemptsCleared)
    /// A budget is spent.
    case credentialsLocked(CredentialsLocked)

    /// The types of events this aggregate has.
    public static let payloads: [any EventPayload.Type] = [
        AttemptCharged.self, AttemptsCleared.self, CredentialsLocked.self,
    ]

    /// The event itself.
    public var payload: any EventPayload {
        switch self {
        case .attemptCharged(let event): event
        case .attemptsCleared(let event): event
        case .credentialsLocked(let event): event
        }
    }

    /// Takes an event of this aggregate; nil for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as AttemptCharged: self = .attemptCharged(event)
        case let event as AttemptsCleared: self = .attemptsCleared(event)
        case let event as CredentialsLocked: self = .credentialsLocked(event)
        default: return nil
        }
    }
}
