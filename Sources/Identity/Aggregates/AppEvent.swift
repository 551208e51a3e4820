/// What happens to an app and its secrets.
public enum AppEvent: AggregateEvent {
    /// An app exists.
    case registered(AppRegistered)
    /// An app has a secret, which itself is never stored.
    case secretIssued(AppSecretIssued)
    /// A secret of an app ended.
    case secretRevoked(AppSecretRevoked)

    /// The types of events this aggregate has.
    public static let payloads: [any EventPayload.Type] = [
        AppRegistered.self, AppSecretIssued.self, AppSecretRevoked.self,
    ]

    /// The event itself.
    public var payload: any EventPayload {
        switch self {
        case .registered(let event): event
        case .secretIssued(let event): event
        case .secretRevoked(let event): event
        }
    }

    /// Takes an event of this aggregate; nil for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as AppRegistered: self = .registered(event)
        case let event as AppSecretIssued: self = .secretIssued(event)
        case let event as AppSecretRevoked: self = .secretRevoked(event)
        default: return nil
        }
    }
}
