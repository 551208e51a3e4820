import Canonical

extension Employee {
    /// Takes an event into the state; one about a key or an account that was never seen changes nothing.
    public static func evolve(_ state: inout State, _ recorded: Recorded<EmployeeEvent>) {
        switch recorded.event {
        case .registered(let event):
            guard state.account == nil else { return }
            state.account = Account(
                id: event.employeeID, user: event.userID, companyEmployeeID: event.companyEmployeeID,
                email: event.email, isCompanyOwnedEmail: event.isCompanyOwnedEmail, registered: recorded.place,
                isApproved: event.approved)
        case .keyPresented(let event):
            state.keys[event.key] = Key(
                key: event.key, status: .pending, isFirst: event.first, flow: event.flow, presentedAt: recorded.time,
                presented: recorded.place, authorized: nil, authorizedBy: nil)
        case .keyAuthorized(let event):
            state.keys[event.key]?.status = .authorized
            state.keys[event.key]?.authorized = recorded.place
            state.keys[event.key]?.authorizedAt = recorded.time
            state.keys[event.key]?.authorizedBy = event.by
        case .keyRefused(let event): end(&state, event.key, .refused, recorded.time)
        case .keyRevoked(let event): end(&state, event.key, .revoked, recorded.time)
        case .approved: state.account?.isApproved = true
        case .cancelled(let event):
            state.account?.isCancelled = true
            if event.reason == .reclaimed { reclaim(&state, recorded.time) }
        case .reinstated: state.account?.isCancelled = false
        case .emailReclaimed:
            state.account?.isCancelled = true
            reclaim(&state, recorded.time)
        case .erased:
            state.account?.isCancelled = true
            state.account?.isErased = true
            endKeys(&state, recorded.time)
        }
    }

    /// A reclaimed address ends every key of the employee in that company.
    private static func reclaim(_ state: inout State, _ time: Timestamp) {
        state.account?.isReclaimed = true
        endKeys(&state, time)
    }

    private static func endKeys(_ state: inout State, _ time: Timestamp) {
        for key in state.keys.keys where state.keys[key]?.status != .revoked { end(&state, key, .revoked, time) }
    }

    private static func end(_ state: inout State, _ key: PublicKeyBytes, _ status: KeyStatus, _ time: Timestamp) {
        state.keys[key]?.status = status
        state.keys[key]?.endedAt = time
    }
}
