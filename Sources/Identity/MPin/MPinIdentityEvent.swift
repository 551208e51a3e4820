/// An event of an M-Pin identity.
public enum MPinIdentityEvent: AggregateEvent {
    /// The registration started.
    case started(MPinRegistrationStarted)
    /// The registration started again.
    case restarted(MPinRegistrationRestarted)
    /// The identity was linked to an employee's account.
    case linked(MPinLinked)
    /// The identity was verified.
    case verified(MPinIdentityVerified)
    /// The share of the client key was issued.
    case keyIssued(MPinClientKeyIssued)
    /// The registration was completed.
    case registered(MPinRegistered)
    /// A proof was wrong.
    case authenticationFailed(MPinAuthenticationFailed)
    /// The count of consecutive wrong proofs is zero again.
    case failuresCleared(MPinFailuresCleared)
    /// Wrong proofs ended the identity.
    case blocked(MPinBlocked)
    /// A decision or a rule ended the identity.
    case revoked(MPinRevoked)
    /// The personal data was erased.
    case erased(MPinErased)

    /// The event types of this aggregate.
    public static let payloads: [any EventPayload.Type] = [
        MPinRegistrationStarted.self, MPinRegistrationRestarted.self, MPinLinked.self, MPinIdentityVerified.self,
        MPinClientKeyIssued.self, MPinRegistered.self, MPinAuthenticationFailed.self, MPinFailuresCleared.self,
        MPinBlocked.self, MPinRevoked.self, MPinErased.self,
    ]

    /// The payload of the event.
    public var payload: any EventPayload {
        switch self {
        case .started(let event): event
        case .restarted(let event): event
        case .linked(let event): event
        case .verified(let event): event
        case .keyIssued(let event): event
        case .registered(let event): event
        case .authenticationFailed(let event): event
        case .failuresCleared(let event): event
        case .blocked(let event): event
        case .revoked(let event): event
        case .erased(let event): event
        }
    }

    /// Wraps a payload of this aggregate; `nil` for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as MPinRegistrationStarted: self = .started(event)
        case let event as MPinRegistrationRestarted: self = .restarted(event)
        case let event as MPinLinked: self = .linked(event)
        case let event as MPinIdentityVerified: self = .verified(event)
        case let event as MPinClientKeyIssued: self = .keyIssued(event)
        case let event as MPinRegistered: self = .registered(event)
        case let event as MPinAuthenticationFailed: self = .authenticationFailed(event)
        case let event as MPinFailuresCleared: self = .failuresCleared(event)
        case let event as MPinBlocked: self = .blocked(event)
        case let event as MPinRevoked: self = .revoked(event)
        case let event as MPinErased: self = .erased(event)
        default: return nil
        }
    }
}
