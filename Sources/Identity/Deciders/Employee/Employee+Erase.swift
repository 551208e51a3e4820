extension Employee {
    /// Erases an employee.
    public struct Erase: Sendable, Equatable {
        /// The employee's role: a security admin goes only when that is said.
        public var role: EmployeeRole
        /// Whether the company may be left without anybody who can act as its security admin.
        public var includesSecurityAdmin: Bool
        /// Who decides.
        public var caller: Caller

        /// Makes the command.
        public init(role: EmployeeRole, includesSecurityAdmin: Bool = false, caller: Caller) {
            self.role = role
            self.includesSecurityAdmin = includesSecurityAdmin
            self.caller = caller
        }
    }

    /// Erases; twice is the same as once.
    ///
    /// Who was not cancelled is cancelled with it: whoever watches cancellations need not know erasures.
    static func decide(_ state: State, _ erase: Erase) throws(Rejection) -> [EmployeeEvent] {
        guard AdminAuthority.permitsErasing(erase.caller) else { throw .notPermitted }
        guard let account = state.account else { throw .unknownEmployee }
        guard !account.isErased else { return [] }
        guard erase.role != .securityAdmin || erase.includesSecurityAdmin else { throw .securityAdmin }
        let by = erase.caller.authority(nil)
        let erased = EmployeeEvent.erased(EmployeeErased(employeeID: account.id, by: by))
        guard !account.isCancelled else { return [erased] }
        return [.cancelled(EmployeeCancelled(employeeID: account.id, reason: .cancelled, by: by)), erased]
    }
}
