package import Canonical

extension Employee {
    /// A signed decision about an account, with the role that the account has in the tenant.
    package struct StatusDecision: Sendable, Equatable {
        /// The employee's role, which selects the column of the table of authority.
        package var role: EmployeeRole
        package var decision: AuthorityDecision

        /// A decision about an employee with this role.
        package init(role: EmployeeRole, decision: AuthorityDecision) {
            self.role = role
            self.decision = decision
        }
    }

    /// The command that approves an employee.
    package struct Approve: Sendable, Equatable {
        package var by: StatusDecision
        /// The tenant's confirmed domains, in A-labels. An admin's approval verifies an address in one of them.
        package var confirmedDomains: Set<String>

        /// An approval in a tenant with these confirmed domains.
        package init(by: StatusDecision, confirmedDomains: Set<String> = []) {
            self.by = by
            self.confirmedDomains = confirmedDomains
        }
    }

    /// The command that cancels an account and ends its device keys.
    package struct Cancel: Sendable, Equatable {
        /// The reason, in free text.
        package var note: FreeText?
        package var by: StatusDecision

        package init(note: FreeText? = nil, by: StatusDecision) {
            self.note = note
            self.by = by
        }
    }

    /// The command that takes a cancellation back. Device keys and roles stay ended.
    package struct Reinstate: Sendable, Equatable {
        package var by: StatusDecision

        package init(by: StatusDecision) { self.by = by }
    }

    /// The command that reclaims an address in one of the tenant's confirmed domains.
    package struct ReclaimEmail: Sendable, Equatable {
        /// The reason, in free text.
        package var reason: FreeText
        /// The address that the account's user loses.
        package var address: EmailAddress
        /// The tenant's confirmed domains, in A-labels.
        package var confirmedDomains: Set<String>
        package var by: StatusDecision

        /// A reclaim in a tenant with these confirmed domains.
        package init(
            reason: FreeText, address: EmailAddress, confirmedDomains: Set<String>, by: StatusDecision
        ) {
            self.reason = reason
            self.address = address
            self.confirmedDomains = confirmedDomains
            self.by = by
        }
    }

    /// The command that ends all sessions of an employee.
    package struct EndSessions: Sendable, Equatable {
        package var reason: ReasonCode
        package var by: StatusDecision

        /// The end of all sessions.
        package init(reason: ReasonCode, by: StatusDecision) {
            self.reason = reason
            self.by = by
        }
    }

    /// The command that releases a provisional employee id.
    package enum ReleaseID: Sendable, Equatable {
        /// No device key was authorized within ``Employee/provisionalLifetime``.
        case expired(at: Timestamp)
        /// Somebody with an invitation for the id registers.
        case invited
    }
}

extension Employee {
    /// Approves an account; does nothing if it is approved. An admin's approval verifies an address in a confirmed
    /// domain.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ approve: Approve) throws(Rejection) -> [EmployeeEvent] {
        let account = try account(state, .approve, approve.by)
        guard !account.isCancelled else { throw .inactive }
        guard !account.isApproved else { return [] }
        let isByAdmin = if case .employee = approve.by.decision.caller { true } else { false }
        return [
            .approved(
                EmployeeApproved(
                    employeeID: account.id,
                    emailVerified: isByAdmin && isConfirmed(account.email, approve.confirmedDomains),
                    by: approve.by.decision.authority))
        ]
    }

    /// Cancels an account, and releases a provisional employee id; does nothing if the account is cancelled.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ cancel: Cancel) throws(Rejection) -> [EmployeeEvent] {
        guard cancel.by.role != .securityAdmin else { throw .securityAdmin }
        let account = try account(state, .cancel, cancel.by)
        guard !account.isCancelled else { return [] }
        let by = cancel.by.decision.authority
        let cancelled = EmployeeEvent.cancelled(
            EmployeeCancelled(
                employeeID: account.id, reason: .cancelled, note: cancel.note.map { Personal(account.id, $0.text) },
                by: by))
        guard state.isProvisional else { return [cancelled] }
        return [
            cancelled, .idReleased(EmployeeIdReleased(employeeID: account.id, reason: .cancelled, by: by)),
        ]
    }

    /// Reinstates a cancelled account without device keys; never a reclaimed, released or erased one.
    ///
    /// An app reinstates only accounts that an app cancelled.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ reinstate: Reinstate) throws(Rejection) -> [EmployeeEvent] {
        let account = try account(state, .reinstate, reinstate.by)
        guard account.isCancelled else { return [] }
        guard !account.isReclaimed, !account.isErased, !account.isReleased else { throw .inactive }
        if case .app = reinstate.by.decision.caller {
            guard case .app? = account.cancelledBy else { throw .notPermitted }
        }
        return [
            .reinstated(EmployeeReinstated(employeeID: account.id, by: reinstate.by.decision.authority))
        ]
    }

    /// Reclaims an address in a confirmed domain, whoever claimed it and with whatever flag, and releases a provisional
    /// employee id. Does nothing if the address is reclaimed.
    ///
    /// A cancelled employee is cancelled once more, for the permanent reason. Readers of cancellations then need not
    /// handle reclaims.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ reclaim: ReclaimEmail) throws(Rejection) -> [EmployeeEvent] {
        guard reclaim.by.role != .securityAdmin else { throw .securityAdmin }
        let account = try account(state, .reclaimEmail, reclaim.by)
        guard !account.isReclaimed, !account.isErased else { return [] }
        guard reclaim.address.isIn(reclaim.confirmedDomains) else { throw .emailNotReclaimable }
        let by = reclaim.by.decision.authority
        var events: [EmployeeEvent] = [
            .emailReclaimed(
                EmailReclaimed(
                    employeeID: account.id, userID: account.user, reason: Personal(account.id, reclaim.reason.text),
                    by: by)
            ),
            .cancelled(EmployeeCancelled(employeeID: account.id, reason: .reclaimed, by: by)),
        ]
        if state.isProvisional, !account.isReleased {
            events.append(.idReleased(EmployeeIdReleased(employeeID: account.id, reason: .cancelled, by: by)))
        }
        return events
    }

    /// Ends all sessions. The event is appended even if none is open, because another process may be opening one.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ end: EndSessions) throws(Rejection) -> [EmployeeEvent] {
        guard end.by.role != .securityAdmin else { throw .securityAdmin }
        let account = try account(state, .endSessions, end.by)
        return [
            .sessionsEnded(
                EmployeeSessionsEnded(employeeID: account.id, reason: end.reason, by: end.by.decision.authority))
        ]
    }

    /// Releases a provisional employee id.
    ///
    /// - Throws: ``Rejection/alreadyRegistered`` if the id is no longer provisional.
    static func decide(_ state: State, _ release: ReleaseID) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        guard !account.isReleased else { return [] }
        guard state.isProvisional else { throw .alreadyRegistered }
        let reason: ReleaseReason
        switch release {
        case .expired(let time):
            guard account.registeredAt.adding(provisionalLifetime) <= time else { return [] }
            reason = .expired
        case .invited: reason = .invited
        }
        return [.idReleased(EmployeeIdReleased(employeeID: account.id, reason: reason, by: .policy))]
    }

    private static func account(
        _ state: State, _ action: AuthorityTable.Action, _ by: StatusDecision
    ) throws(Rejection) -> Account {
        guard let account = state.account else { throw .unknownEmployee }
        let subject = AuthoritySubject(account.id, of: account.user, role: by.role)
        guard AuthorityTable.permits(action, about: subject, by: by.decision) else { throw .notPermitted }
        return account
    }

    private static func isConfirmed(_ email: Personal, _ domains: Set<String>) -> Bool {
        guard let text = email.text, let address = try? EmailAddress(recorded: text) else { return false }
        return address.isIn(domains)
    }
}
