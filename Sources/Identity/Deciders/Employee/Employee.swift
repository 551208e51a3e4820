/// One account of a user in a tenant, with the keys of its devices.
public enum Employee: Decider {
    /// What happens to an employee.
    public typealias Event = EmployeeEvent

    /// No account, no keys.
    public static let initial = State()

    /// How long a presented key waits for somebody with authority.
    public static let pendingLifetime: Duration = .seconds(30 * 86_400)

    /// How many keys of one employee may wait at a time.
    public static let pendingLimit = 10

    /// The events that a command leads to; none when it asks for what is so already.
    public static func decide(_ state: State, _ command: Command) throws(Rejection) -> [EmployeeEvent] {
        switch command {
        case .register(let register): try decide(state, register)
        case .presentKey(let present): try decide(state, present)
        case .authorizeKey(let authorize): try decide(state, authorize)
        case .refuseKey(let refuse): try Employee.refuse(state, refuse)
        case .revokeKey(let revoke): try Employee.revoke(state, revoke)
        case .revokeOwnKey(let revoke): try Employee.revokeOwn(state, revoke)
        case .approve(let approve): try decide(state, approve)
        case .cancel(let cancel): try decide(state, cancel)
        case .reinstate(let reinstate): try decide(state, reinstate)
        case .reclaimEmail(let reclaim): try decide(state, reclaim)
        case .erase(let erase): try decide(state, erase)
        }
    }
}
