public import Canonical

extension Employee {
    /// What a right challenge leads to.
    public enum Outcome: Sendable, Equatable {
        /// A session.
        case success
        /// Somebody with authority must decide about the key first; the events present it, and are none when it waits.
        case authorizationPending(presenting: [EmployeeEvent])
        /// The employee is cancelled.
        case inactive
        /// An admin must approve the employee first.
        case notApproved
        /// The key was refused or revoked, which is for ever: `authorization.not_permitted`.
        case keyRevoked
        /// As many keys of the employee wait already as may: `authorization.not_permitted`.
        case tooManyWaitingKeys
    }

    /// The outcome of a login with a right challenge; nil when there is no such employee.
    ///
    /// The account's gates come before the key's: whoever may not log in presents no key.
    public static func login(
        _ state: State, key: PublicKeyBytes, flow: FlowID, time: Timestamp
    ) -> Outcome? {
        guard let account = state.account else { return nil }
        switch account.status {
        case .cancelled: return .inactive
        case .registered: return .notApproved
        case .active: break
        }
        if state.standing(of: key, at: time) == .authorized { return .success }
        do {
            return .authorizationPending(
                presenting: try decide(state, PresentKey(key: key, flow: flow, time: time)))
        } catch {
            return error == .tooManyWaitingKeys ? .tooManyWaitingKeys : .keyRevoked
        }
    }

    /// The outcome of a registration, from the state after its events; nil when there is no such employee.
    ///
    /// A key that waits is told first, because the app can have it decided; a session starts only past every gate.
    public static func registration(_ state: State, key: PublicKeyBytes) -> Outcome? {
        guard let account = state.account else { return nil }
        guard state.keys[key]?.status == .authorized else { return .authorizationPending(presenting: []) }
        switch account.status {
        case .cancelled: return .inactive
        case .registered: return .notApproved
        case .active: return .success
        }
    }
}
