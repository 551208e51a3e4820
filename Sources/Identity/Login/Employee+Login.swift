package import Canonical

extension Employee {
    /// The outcome of a log-in or registration after a valid proof.
    package enum Outcome: Sendable, Equatable {
        /// A session starts.
        case success
        /// Somebody with authority must decide about the key first. The events present the key; there are none if it is
        /// already pending.
        case authorizationPending(presenting: [EmployeeEvent])
        /// The employee is cancelled.
        case inactive
        /// An admin must approve the employee first.
        case notApproved
        /// The key was refused or revoked for good: `authorization.not_permitted`.
        case keyRevoked
        /// The employee has as many pending keys as allowed: `authorization.not_permitted`.
        case tooManyWaitingKeys
    }

    /// Decides a log-in after a valid proof, or returns `nil` if there is no such employee.
    ///
    /// The account is checked before the key: an employee who may not log in presents no key.
    package static func login(
        _ state: State, key: PublicKeyBytes, flow: FlowID, time: Timestamp, passkey: PasskeyFacts? = nil
    ) -> Outcome? {
        guard let account = state.account else { return nil }
        switch account.status {
        case .cancelled: return .inactive
        case .registered: return .notApproved
        case .active: break
        }
        switch state.standing(of: key, at: time) {
        case .authorized: return .success
        // It was presented with its facts.
        case .pending where passkey == nil && state.keys[key]?.passkey != nil:
            return .authorizationPending(presenting: [])
        default: break
        }
        do {
            return .authorizationPending(
                presenting: try decide(state, PresentKey(key: key, flow: flow, time: time, passkey: passkey)))
        } catch {
            return error == .tooManyWaitingKeys ? .tooManyWaitingKeys : .keyRevoked
        }
    }

    /// Decides a registration from the state after its events, or returns `nil` if there is no such employee.
    ///
    /// A pending key is reported first, because the app can have it decided. A session starts only if every check
    /// passes.
    package static func registration(_ state: State, key: PublicKeyBytes) -> Outcome? {
        guard let account = state.account else { return nil }
        guard state.keys[key]?.status == .authorized else { return .authorizationPending(presenting: []) }
        switch account.status {
        case .cancelled: return .inactive
        case .registered: return .notApproved
        case .active: return .success
        }
    }
}
