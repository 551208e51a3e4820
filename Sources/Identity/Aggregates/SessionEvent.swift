/// What happens to a session.
public enum SessionEvent: AggregateEvent {
    /// An employee logged in.
    case opened(SessionOpened)
    /// A session ended.
    case closed(SessionClosed)

    /// The types of events this aggregate has.
    public static let payloads: [any EventPayload.Type] = [
        SessionOpened.self, SessionClosed.self,
    ]

    /// The event itself.
    public var payload: any EventPayload {
        switch self {
        case .opened(let event): event
        case .closed(let event): event
        }
    }

    /// Takes an event of this aggregate; nil for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as SessionOpened: self = .opened(event)
        case let event as SessionClosed: self = .closed(event)
        default: return nil
        }
    }
}
