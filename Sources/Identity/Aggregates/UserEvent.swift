/// What happens to a user and their credentials.
public enum UserEvent: AggregateEvent {
    /// A user has credentials.
    case credentialsSet(CredentialsSet)
    /// A user has other credentials.
    case credentialsChanged(CredentialsChanged)
    /// A security admin opened a recovery.
    case recoveryOpened(RecoveryOpened)
    /// A second person, or a device of the user, confirmed it.
    case recoveryConfirmed(RecoveryConfirmed)
    /// A recovery ended before credentials were set.
    case recoveryCancelled(RecoveryCancelled)
    /// A user lost the address, which is free for another person.
    case emailReleased(EmailReleased)
    /// The user's personal data and credentials were erased, for ever.
    case erased(UserErased)

    /// The types of events this aggregate has.
    public static let payloads: [any EventPayload.Type] = [
        CredentialsSet.self, CredentialsChanged.self, RecoveryOpened.self, RecoveryConfirmed.self,
        RecoveryCancelled.self, EmailReleased.self, UserErased.self,
    ]

    /// The event itself.
    public var payload: any EventPayload {
        switch self {
        case .credentialsSet(let event): event
        case .credentialsChanged(let event): event
        case .recoveryOpened(let event): event
        case .recoveryConfirmed(let event): event
        case .recoveryCancelled(let event): event
        case .emailReleased(let event): event
        case .erased(let event): event
        }
    }

    /// Takes an event of this aggregate; nil for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as CredentialsSet: self = .credentialsSet(event)
        case let event as CredentialsChanged: self = .credentialsChanged(event)
        case let event as RecoveryOpened: self = .recoveryOpened(event)
        case let event as RecoveryConfirmed: self = .recoveryConfirmed(event)
        case let event as RecoveryCancelled: self = .recoveryCancelled(event)
        case let event as EmailReleased: self = .emailReleased(event)
        case let event as UserErased: self = .erased(event)
        default: return nil
        }
    }
}
