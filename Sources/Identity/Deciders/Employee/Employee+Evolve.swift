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
            state.keys[event.key]?.authorizedBy = event.by
        case .keyRefused(let event): state.keys[event.key]?.status = .refused
        case .keyRevoked(let event): state.keys[event.key]?.status = .revoked
        case .approved: state.account?.isApproved = true
        case .cancelled(let event):
            state.account?.isCancelled = true
            if event.reason == .reclaimed { reclaim(&state) }
        case .reinstated: state.account?.isCancelled = false
        case .emailReclaimed:
            state.account?.isCancelled = true
            reclaim(&state)
        case .erased:
            state.account?.isCancelled = true
            state.account?.isErased = true
            endKeys(&state)
        }
    }

    /// A reclaimed address ends every key of the employee in that company.
    private static func reclaim(_ state: inout State) {
        state.account?.isReclaimed = true
        endKeys(&state)
    }

    private static func endKeys(_ state: inout State) {
        for key in state.keys.keys { state.keys[key]?.status = .revoked }
    }
}
