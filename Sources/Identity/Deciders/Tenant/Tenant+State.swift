extension Tenant {
    /// What is known of a tenant.
    public struct State: Sendable, Equatable {
        /// Where the founder's registration lies; nil before it.
        public internal(set) var founding: EventPlace?
        /// The founder.
        public internal(set) var founder: EmployeeID?
        /// The company name as first entered.
        public internal(set) var companyName: String?
        /// The one security admin: the founder, or who succeeded last.
        public internal(set) var securityAdmin: EmployeeID?
        /// The event that made the security admin.
        public internal(set) var securityAdminSince: EventPlace?
        /// The appointed admins, each with the event that appointed them.
        public internal(set) var admins: [EmployeeID: EventPlace] = [:]
        /// The rules.
        public internal(set) var policy = TenantPolicy.initial
        /// The event that set the rules; nil while they are the initial ones.
        public internal(set) var policySince: EventPlace?
        /// The apps that may act for the tenant.
        public internal(set) var linkedApps: Set<AppID> = []
        /// The domains the tenant controls, in canonical form.
        public internal(set) var confirmedDomains: Set<String> = []

        /// The role of an employee; exactly one has the role of security admin once the tenant is founded.
        public func role(of employee: EmployeeID) -> EmployeeRole {
            if employee == securityAdmin { return .securityAdmin }
            return admins[employee] == nil ? .employee : .admin
        }

        /// The event that gives an employee a role; nil for an ordinary employee.
        public func roleSince(of employee: EmployeeID) -> EventPlace? {
            employee == securityAdmin ? securityAdminSince : admins[employee]
        }
    }

    /// Takes an event into the state.
    ///
    /// A registration counts at position 1 alone, so the founder is who came first in the ledger, however many raced.
    public static func evolve(_ state: inout State, _ recorded: Recorded<TenantEvent>) {
        switch recorded.event {
        case .founded(let event):
            guard recorded.position == 1, state.founding == nil else { return }
            state.founding = recorded.place
            state.founder = event.employeeID
            state.companyName = event.companyName
            if state.securityAdmin == nil {
                state.securityAdmin = event.employeeID
                state.securityAdminSince = recorded.place
            }
        case .policyChanged(let event):
            state.policy = event.policy
            state.policySince = recorded.place
        case .domainConfirmed(let event): state.confirmedDomains.insert(event.domain)
        case .appLinked(let event): state.linkedApps.insert(event.appID)
        case .appUnlinked(let event): state.linkedApps.remove(event.appID)
        case .adminAppointed(let event): state.admins[event.employeeID] = recorded.place
        case .adminDismissed(let event): state.admins[event.employeeID] = nil
        case .securityAdminSucceeded(let event):
            state.securityAdmin = event.employeeID
            state.securityAdminSince = recorded.place
        }
    }
}
