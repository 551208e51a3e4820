package import Canonical

/// The table of authority: which capacity may take which decision. The deciders enforce it, and verification checks the
/// log against it.
///
/// A decision is permitted if the decider acts in one of the capacities that the table lists for the action and the
/// standing of its subject. Apps never decide about admins, under any policy.
package enum AuthorityTable {
    /// A decision that needs authority.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        case authorizeKey = "authorize a pending device key"
        case endKey = "refuse or revoke a device key"
        case approve = "approve an account"
        case cancel = "cancel an account"
        case reinstate = "reinstate an account"
        case reclaimEmail = "reclaim an address"
        case changeEmail = "change one's own address"
        case endSessions = "end all sessions"
        case appointAdmin = "appoint an admin"
        case dismissAdmin = "dismiss an admin"
        case succeed = "name the next security admin"
        case returnToRole = "return of the security admin"
        case cancelReturn = "cancel or undo a return"
        case openRecovery = "open a recovery"
        case confirmRecovery = "confirm a recovery"
        case cancelRecovery = "cancel a recovery"
        case issueInvitation = "issue an invitation"
        case revokeInvitation = "revoke an invitation"
        case changePolicy = "change the policy or the registration mode"
        case linkApp = "link or unlink an app, set the roles of a link"
        case confirmDomain = "confirm a domain"
        case erase = "erase personal data"
        case administerApps = "register an app, change its secrets, resources or client data"
        case verifyMPin = "verify an M-Pin identity, issue an activation code"
        case linkMPin = "link an M-Pin identity to an account"
        case revokeMPin = "revoke an M-Pin identity"
        case changeMPinPolicy = "change the M-Pin policy"
    }

    /// The kind of subject that a decision is about.
    package enum Standing: String, Sendable, Hashable, CaseIterable {
        case employee = "an ordinary employee"
        case admin = "an admin"
        case securityAdmin = "the security admin"
        case tenant = "the tenant"
        case installation = "the installation"

        package init(_ role: EmployeeRole) {
            switch role {
            case .employee: self = .employee
            case .admin: self = .admin
            case .securityAdmin: self = .securityAdmin
            }
        }
    }

    /// The capacity in which a party decides.
    package enum Capacity: String, Sendable, Hashable, CaseIterable {
        /// An app whose secret and link both have AUTHORIZATION.
        case authorizingApp = "app with AUTHORIZATION"
        /// An app whose secret and link both have ADMINISTRATION.
        case administeringApp = "app with ADMINISTRATION"
        /// An admin or the security admin, signing with a device key that carries the role.
        case admin = "an admin"
        /// The security admin, signing with a device key that carries the role.
        case securityAdmin = "the security admin"
        /// The subject, signing with another device key of the same account. For an admin it must carry the role.
        case ownKey = "another device key of the same account"
        /// The operator, signing with the operator key.
        case `operator` = "the operator"
        /// The security admin with a verified mailbox, a credential and time, without a decision of anybody else.
        case mailAndTime = "by mail and time, where alone"
    }

    /// Returns the capacities that may take a decision; empty if none may.
    ///
    /// - Parameter policy: Matters only for authorizing the device keys of ordinary employees.
    package static func capacities(
        for action: Action, about standing: Standing, under policy: KeyAuthorization = .application
    ) -> Set<Capacity> {
        switch (action, standing) {
        case (.authorizeKey, .employee):
            policy == .securityAdmin ? [.admin] : [.authorizingApp, .admin, .ownKey]
        case (.authorizeKey, .admin): [.securityAdmin, .ownKey]
        case (.authorizeKey, .securityAdmin): [.ownKey]

        case (.endKey, .employee): [.authorizingApp, .admin, .ownKey]
        case (.endKey, .admin): [.securityAdmin, .ownKey]
        case (.endKey, .securityAdmin): [.ownKey]

        case (.approve, .employee), (.cancel, .employee), (.reinstate, .employee), (.reclaimEmail, .employee),
            (.endSessions, .employee):
            [.admin, .administeringApp]
        case (.approve, .admin), (.cancel, .admin), (.reinstate, .admin), (.reclaimEmail, .admin),
            (.endSessions, .admin):
            [.securityAdmin]

        case (.changeEmail, .employee), (.changeEmail, .admin), (.changeEmail, .securityAdmin): [.ownKey]
        case (.appointAdmin, .employee), (.dismissAdmin, .admin): [.securityAdmin]
        case (.succeed, .securityAdmin): [.securityAdmin, .operator]
        case (.returnToRole, .securityAdmin): [.operator, .mailAndTime]
        case (.cancelReturn, .securityAdmin): [.ownKey]

        case (.openRecovery, .employee): [.admin]
        case (.openRecovery, .admin): [.securityAdmin]
        case (.confirmRecovery, .employee), (.confirmRecovery, .admin): [.admin, .ownKey]
        case (.cancelRecovery, .employee), (.cancelRecovery, .admin), (.cancelRecovery, .securityAdmin):
            [.admin, .ownKey]

        case (.issueInvitation, .employee), (.revokeInvitation, .employee): [.admin, .administeringApp]
        case (.changePolicy, .tenant): [.securityAdmin]
        case (.linkApp, .tenant): [.securityAdmin, .operator]
        case (.confirmDomain, .tenant): [.operator]
        case (.erase, .employee), (.erase, .admin), (.erase, .securityAdmin): [.operator]
        case (.administerApps, .installation): [.operator]

        case (.verifyMPin, .employee): [.authorizingApp, .admin]
        case (.linkMPin, .employee), (.linkMPin, .admin), (.linkMPin, .securityAdmin): [.ownKey]
        case (.revokeMPin, .employee): [.authorizingApp, .admin, .ownKey]
        case (.revokeMPin, .admin): [.securityAdmin, .ownKey]
        case (.revokeMPin, .securityAdmin): [.ownKey]
        case (.changeMPinPolicy, .tenant): [.securityAdmin]
        default: []
        }
    }

    /// Whether a decision is permitted.
    ///
    /// Callers check in addition what the table cannot know: that the key signed, that two decisions come from two
    /// people, and how much time has passed.
    ///
    /// - Parameter time: When the decision is made; `nil` if no grace counts, as for a device key that is no passkey.
    package static func permits(
        _ action: Action, about subject: AuthoritySubject, by decision: AuthorityDecision,
        under policy: KeyAuthorization = .application, at time: Timestamp? = nil
    ) -> Bool {
        let table = capacities(for: action, about: subject.standing, under: policy)
        return !decision.capacities(toward: subject, for: action, at: time).isDisjoint(with: table)
    }
}

/// The subject of a decision, as far as authority goes.
package struct AuthoritySubject: Sendable, Hashable {
    /// The standing, which selects the column of the table.
    package let standing: AuthorityTable.Standing
    /// The account, if the decision is about one.
    package let employee: EmployeeID?
    /// The user behind the account. Two accounts of one user are one person.
    package let user: UserID?

    /// An account with its present role.
    package init(_ employee: EmployeeID, of user: UserID, role: EmployeeRole) {
        standing = AuthorityTable.Standing(role)
        self.employee = employee
        self.user = user
    }

    private init(_ standing: AuthorityTable.Standing) {
        self.standing = standing
        employee = nil
        user = nil
    }

    package static let tenant = AuthoritySubject(.tenant)
    package static let installation = AuthoritySubject(.installation)
    /// The present security admin, whichever employee that is.
    package static let securityAdmin = AuthoritySubject(.securityAdmin)
    /// A person who is not an employee yet.
    package static let newcomer = AuthoritySubject(.employee)
}

/// A party's decision, with the key that signs it.
package struct AuthorityDecision: Sendable, Equatable {
    package var caller: DecidingParty
    /// The key that signs, or will sign.
    package var signer: PublicKeyBytes
    /// The verified signed statement; `nil` while the caller only asks whether the decision is permitted.
    package var statement: SignedStatement?

    /// A decision that `signer` signs.
    package init(caller: DecidingParty, signer: PublicKeyBytes, statement: SignedStatement? = nil) {
        self.caller = caller
        self.signer = signer
        self.statement = statement
    }

    package init(caller: DecidingParty, statement: SignedStatement) {
        self.init(caller: caller, signer: statement.key, statement: statement)
    }

    /// The `by` member of the event.
    package var authority: Authority { caller.authority(statement) }

    /// Returns the capacities in which the caller decides; empty if the key does not speak for the caller.
    package func capacities(
        toward subject: AuthoritySubject, for action: AuthorityTable.Action, at time: Timestamp? = nil
    ) -> Set<AuthorityTable.Capacity> {
        guard statement.map({ $0.key == signer }) ?? true, caller.speaks(with: signer) else { return [] }
        switch caller {
        case .app(let app):
            var capacities: Set<AuthorityTable.Capacity> = []
            if app.may(.authorization) { capacities.insert(.authorizingApp) }
            if app.may(.administration) { capacities.insert(.administeringApp) }
            return capacities
        case .operator: return [.operator]
        case .employee(let employee):
            return employee.capacities(toward: subject, for: action, signingWith: signer, at: time)
        }
    }
}

extension DecidingEmployee {
    fileprivate func capacities(
        toward subject: AuthoritySubject, for action: AuthorityTable.Action, signingWith key: PublicKeyBytes,
        at time: Timestamp?
    ) -> Set<AuthorityTable.Capacity> {
        guard status == .active else { return [] }
        let carriesRole = roleKeys.contains(key)
        if subject.employee == employee {
            // A key that only an app vouched for must not become a role key by way of the admin's own account.
            return carriesRole || !role.isAdministrative || speaksForItself(key, action, at: time) ? [.ownKey] : []
        }
        // Another account of the same user is the same person, who cannot vouch for themselves.
        guard carriesRole, subject.user == nil || subject.user != user else { return [] }
        return role == .securityAdmin ? [.admin, .securityAdmin] : [.admin]
    }

    /// Whether a key that has the role, but may not carry it now, decides about its own account all the same.
    ///
    /// It cancels what would change the account: that only keeps what is. And for a while it brings the passkey that
    /// the policy asks for. A synced passkey without a secret does not.
    private func speaksForItself(_ key: PublicKeyBytes, _ action: AuthorityTable.Action, at time: Timestamp?) -> Bool {
        guard listedKeys.contains(key) else { return false }
        return switch action {
        case .cancelRecovery, .cancelReturn: true
        case .authorizeKey:
            if let time, let graceUntil { time < graceUntil && !syncedKeys.contains(key) } else { false }
        default: false
        }
    }
}
