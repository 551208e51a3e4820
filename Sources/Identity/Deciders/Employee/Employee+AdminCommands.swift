extension Employee {
    /// Makes the employee active.
    public struct Approve: Sendable, Equatable {
        /// Who decides.
        public var caller: Caller

        /// Makes the command.
        public init(caller: Caller) { self.caller = caller }
    }

    /// Lets the employee not log in any more.
    public struct Cancel: Sendable, Equatable {
        /// Why, in free text.
        public var note: FreeText?
        /// The employee's role: the security admin cannot be cancelled before somebody succeeded.
        public var role: EmployeeRole
        /// Who decides.
        public var caller: Caller

        /// Makes the command.
        public init(note: FreeText? = nil, role: EmployeeRole, caller: Caller) {
            self.note = note
            self.role = role
            self.caller = caller
        }
    }

    /// Takes a cancellation back.
    public struct Reinstate: Sendable, Equatable {
        /// Who decides.
        public var caller: Caller

        /// Makes the command.
        public init(caller: Caller) { self.caller = caller }
    }

    /// Takes back an address that the company owns.
    public struct ReclaimEmail: Sendable, Equatable {
        /// Why, in free text.
        public var reason: FreeText
        /// The employee's role: the security admin cannot be cancelled before somebody succeeded.
        public var role: EmployeeRole
        /// The domains confirmed for the tenant, in canonical form.
        public var confirmedDomains: Set<String>
        /// Who decides.
        public var caller: Caller

        /// Makes the command.
        public init(reason: FreeText, role: EmployeeRole, confirmedDomains: Set<String>, caller: Caller) {
            self.reason = reason
            self.role = role
            self.confirmedDomains = confirmedDomains
            self.caller = caller
        }
    }
}
