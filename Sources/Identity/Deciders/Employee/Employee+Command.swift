extension Employee {
    /// What somebody wants of an employee.
    public enum Command: Sendable, Equatable {
        /// Make the account, with its first key.
        case register(Register)
        /// Show the key of a device, after a right challenge.
        case presentKey(PresentKey)
        /// Let a key log in.
        case authorizeKey(AuthorizeKey)
        /// Turn a waiting key down.
        case refuseKey(EndKey)
        /// End an authorized key.
        case revokeKey(EndKey)
        /// End an authorized key of one's own.
        case revokeOwnKey(EndKey)
        /// Make the employee active.
        case approve(Approve)
        /// Let the employee not log in any more.
        case cancel(Cancel)
        /// Take a cancellation back.
        case reinstate(Reinstate)
        /// Take back an address that the company owns.
        case reclaimEmail(ReclaimEmail)
        /// Erase the personal data.
        case erase(Erase)
    }
}
