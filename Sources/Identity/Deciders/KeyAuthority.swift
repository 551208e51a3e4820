/// Who may decide about employee keys, by the tenant's policy.
public enum KeyAuthority {
    /// Whether a caller may authorize, refuse and revoke keys under a policy.
    ///
    /// Whether a certain key may be decided by a certain signer is a further question, which the employee's decider
    /// answers: no key authorizes itself, and most people need another person.
    public static func permits(_ policy: KeyAuthorization, _ caller: Caller) -> Bool {
        switch caller {
        case .app(let app): policy != .securityAdmin && app.isLinked && app.roles.contains(.authorization)
        case .employee(let employee): employee.isActiveAdmin && !employee.authorizedKeys.isEmpty
        case .operator: false
        }
    }

    /// Whether an app that registers an employee may countersign the employee's first key at once.
    public static func countersigns(_ policy: KeyAuthorization, _ caller: Caller) -> Bool {
        guard policy == .automatic, case .app = caller else { return false }
        return permits(policy, caller)
    }
}

/// Who may administer a tenant.
public enum AdminAuthority {
    /// Whether a caller may approve, cancel, reinstate, appoint, reclaim and set the policy: an active admin.
    public static func permits(_ caller: Caller) -> Bool {
        guard case .employee(let employee) = caller else { return false }
        return employee.isActiveAdmin
    }

    /// Whether a caller may link and unlink apps: an active admin or the operator.
    public static func permitsLinking(_ caller: Caller) -> Bool { caller == .operator || permits(caller) }

    /// Whether a caller may name the next security admin: the present one, or the operator when that one is lost.
    public static func permitsSuccession(_ caller: Caller) -> Bool {
        guard case .employee(let employee) = caller else { return caller == .operator }
        return employee.isActiveAdmin && employee.role == .securityAdmin
    }

    /// Whether a caller may open a recovery: the security admin. Another person confirms it.
    public static func permitsOpeningRecovery(_ caller: Caller) -> Bool {
        guard case .employee(let employee) = caller else { return false }
        return employee.isActiveAdmin && employee.role == .securityAdmin
    }

    /// Whether a caller may confirm a domain: the operator alone, as long as there is no proof by name service.
    public static func permitsConfirming(_ caller: Caller) -> Bool { caller == .operator }

    /// Whether a caller may erase people: the operator alone, because an erasure also needs the master keys.
    public static func permitsErasing(_ caller: Caller) -> Bool { caller == .operator }
}
