/// What happens to an employee.
public enum EmployeeEvent: AggregateEvent {
    /// An employee has an account in the tenant; the first such event founds it.
    case registered(EmployeeRegistered)
    /// A device showed a key that waits for somebody with authority.
    case keyPresented(EmployeeKeyPresented)
    /// A key may log in for the employee.
    case keyAuthorized(EmployeeKeyAuthorized)
    /// A waiting key was turned down; it may be presented again.
    case keyRefused(EmployeeKeyRefused)
    /// An authorized key ended; it is never authorized again.
    case keyRevoked(EmployeeKeyRevoked)
    /// An admin made the employee active.
    case approved(EmployeeApproved)
    /// The employee may not log in any more.
    case cancelled(EmployeeCancelled)
    /// A cancellation was taken back.
    case reinstated(EmployeeReinstated)
    /// The company took back an address it owns; the employee's keys end with it.
    case emailReclaimed(EmailReclaimed)
    /// The employee's personal data was erased, for ever.
    case erased(EmployeeErased)

    /// The types of events this aggregate has.
    public static let payloads: [any EventPayload.Type] = [
        EmployeeRegistered.self, EmployeeKeyPresented.self, EmployeeKeyAuthorized.self, EmployeeKeyRefused.self,
        EmployeeKeyRevoked.self, EmployeeApproved.self, EmployeeCancelled.self, EmployeeReinstated.self,
        EmailReclaimed.self, EmployeeErased.self,
    ]

    /// The event itself.
    public var payload: any EventPayload {
        switch self {
        case .registered(let event): event
        case .keyPresented(let event): event
        case .keyAuthorized(let event): event
        case .keyRefused(let event): event
        case .keyRevoked(let event): event
        case .approved(let event): event
        case .cancelled(let event): event
        case .reinstated(let event): event
        case .emailReclaimed(let event): event
        case .erased(let event): event
        }
    }

    /// Takes an event of this aggregate; nil for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as EmployeeRegistered: self = .registered(event)
        case let event as EmployeeKeyPresented: self = .keyPresented(event)
        case let event as EmployeeKeyAuthorized: self = .keyAuthorized(event)
        case let event as EmployeeKeyRefused: self = .keyRefused(event)
        case let event as EmployeeKeyRevoked: self = .keyRevoked(event)
        case let event as EmployeeApproved: self = .approved(event)
        case let event as EmployeeCancelled: self = .cancelled(event)
        case let event as EmployeeReinstated: self = .reinstated(event)
        case let event as EmailReclaimed: self = .emailReclaimed(event)
        case let event as EmployeeErased: self = .erased(event)
        default: return nil
        }
    }
}
