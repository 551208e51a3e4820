import Canonical

/// The parties that may authorize the device keys of a tenant's employees.
package enum KeyAuthorization: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// As ``application``. An app with the role also countersigns an employee's first key at once.
    case automatic
    /// An app whose secret and link have the role, or an admin.
    case application
    /// Only the security admin or an admin.
    case securityAdmin
}

/// How a registered employee becomes active.
package enum Approval: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// By registering.
    case automatic
    case admin
}

/// Where secrets were evaluated.
package enum ValidationMode: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// By the service, which saw the answers or the passphrase.
    case direct
    /// By the client with the service's help; no answer or passphrase reached the service.
    case blind
}

/// Who may register with a tenant.
package enum RegistrationMode: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// Anybody, through a linked app.
    case open
    /// Only people with an invitation.
    case invited
    /// People with an invitation, and people with an address of the tenant's confirmed domain. Without an invitation no
    /// device key is authorized before the address is verified.
    case domain
}

/// What a log-in asks for besides an authorized device key.
package enum LogInRule: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// Answers or a passphrase.
    case secret
    /// Nothing, if the device key is a passkey; otherwise a secret.
    case passkeyOrSecret
    /// A passkey, and nothing else.
    case passkey
}

/// What happens if the counter of a passkey does not grow.
package enum ClonedKeyRule: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// The owner and the admins are told.
    case report
    /// They are told, and the passkey opens no session.
    case stop
}

/// The rules that a tenant sets for itself.
package struct TenantPolicy: Sendable, Hashable {
    /// The parties that may authorize device keys.
    package var keyAuthorization: KeyAuthorization
    /// How an employee becomes active.
    package var approval: Approval
    /// Whether the direct mode is refused.
    package var blindOnly: Bool
    /// Whether a user with a passphrase may allow the questions as well.
    package var questionsWithPassphrase: Bool
    /// Who may register.
    package var registrationMode: RegistrationMode
    /// The hours between the start of a recovery and new credentials.
    package var recoveryDelayHours: Int
    /// The hours after which an admin's session ends.
    package var adminSessionHours: Int
    /// What a log-in asks for.
    package var logIn: LogInRule
    /// Whether only passkeys carry the role of an admin.
    package var adminsNeedPasskey: Bool
    /// What happens if the counter of a passkey does not grow.
    package var clonedKey: ClonedKeyRule

    /// The recovery delays that a tenant may choose, in hours.
    package static let recoveryDelayRange = 1...168
    /// The lengths of admin sessions that a tenant may choose, in hours.
    package static let adminSessionRange = 1...24

    /// The policy of a tenant that has set none.
    package static let initial = TenantPolicy()
    /// The policy that a founding on the pages sets.
    package static let ofPages = TenantPolicy(logIn: .passkeyOrSecret)

    /// The defaults are those of ``initial``.
    package init(
        keyAuthorization: KeyAuthorization = .application, approval: Approval = .automatic, blindOnly: Bool = false,
        questionsWithPassphrase: Bool = true, registrationMode: RegistrationMode = .open,
        recoveryDelayHours: Int = 24, adminSessionHours: Int = 1, logIn: LogInRule = .secret,
        adminsNeedPasskey: Bool = false, clonedKey: ClonedKeyRule = .report
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.registrationMode = registrationMode
        self.recoveryDelayHours = recoveryDelayHours
        self.adminSessionHours = adminSessionHours
        self.logIn = logIn
        self.adminsNeedPasskey = adminsNeedPasskey
        self.clonedKey = clonedKey
    }

    /// Whether credentials may be used in a mode. The refusal's code is `policy.blind_only`.
    package func permits(_ mode: ValidationMode) -> Bool { mode == .blind || !blindOnly }

    /// Whether a device key may carry the role of an admin in a session or a decision.
    ///
    /// This is the one rule about passkeys and roles. A sync provider puts a synced passkey on another machine without
    /// anybody's approval, so it needs a secret besides.
    ///
    /// - Parameter secretProved: Whether the log-in proved a secret.
    package func admitsRole(of holding: KeyHolding, secretProved: Bool) -> Bool {
        switch holding {
        case .bound: true
        case .synced: secretProved
        case .software: !adminsNeedPasskey
        }
    }
}

extension TenantPolicy: FlatObject {
    /// The members of `TenantPolicyChanged`.
    package static let members = EventMembers<TenantPolicy>(
        "TenantPolicy", TenantPolicy.init,
        Member("keyAuthorization", \.keyAuthorization), Member("approval", \.approval),
        Member("blindOnly", \.blindOnly), Member("questionsWithPassphrase", \.questionsWithPassphrase),
        Member("registrationMode", \.registrationMode),
        Member("recoveryDelayHours", \.recoveryDelayHours, .integer(recoveryDelayRange)),
        Member("adminSessionHours", \.adminSessionHours, .integer(adminSessionRange)), Member("logIn", \.logIn),
        Member("adminsNeedPasskey", \.adminsNeedPasskey), Member("clonedKey", \.clonedKey))
}
