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
        /// The tenant asks for a passkey, and the device key is none.
        case passkeyRequired
    }

    /// Decides a log-in after a valid proof, or returns `nil` if there is no such employee.
    ///
    /// The account is checked before the key: an employee who may not log in presents no key.
    ///
    /// - Parameters:
    ///   - passkey: The facts of the passkey that proved itself; `nil` for another device key.
    ///   - rule: What the log-in asks for. Under `passkey` no other device key is let in or presented.
    package static func login(
        _ state: State, key: PublicKeyBytes, flow: FlowID, time: Timestamp, passkey: PasskeyFacts? = nil,
        under rule: LogInRule = .secret
    ) -> Outcome? {
        guard let account = state.account else { return nil }
        switch account.status {
        case .cancelled: return .inactive
        case .registered: return .notApproved
        case .active: break
        }
        let standing = state.standing(of: key, at: time), known = state.keys[key]
        // A passkey proves itself by an assertion, and no other key does.
        guard known == nil || known?.passkey?.facts.credentialID == passkey?.credentialID else { return .keyRevoked }
        if rule == .passkey, passkey == nil, standing != .refused, standing != .revoked {
            return .passkeyRequired
        }
        switch standing {
        case .authorized: return .success
        // It was presented with its facts.
        case .pending where known?.passkey != nil:
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

extension Employee.State {
    /// How long after a registration or a return its device key may open a session where the tenant asks for a passkey:
    /// as long as a browser waits.
    private static var arrival: Duration { .seconds(1_800) }

    /// Whether the tenant lets a session open on a device key. Under `logIn: passkey` that is a passkey. Another key
    /// opens the session of a registration or of a return, in which the person adds a passkey.
    package func mayOpenSession(on fingerprint: KeyFingerprint, in tenant: Tenant.State, at time: Timestamp) -> Bool {
        guard tenant.policy.logIn == .passkey, let key = key(fingerprint), key.passkey == nil else { return true }
        let returned = completedReturn(in: tenant).flatMap { $0.key == key.key ? $0.completedAt : nil }
        return [key.isFirst ? key.presentedAt : nil, returned].contains {
            $0.map { time <= $0.adding(Self.arrival) } ?? false
        }
    }
}
