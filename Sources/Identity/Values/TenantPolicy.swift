/// Who decides about the keys of a tenant's employees.
public enum KeyAuthorization: String, Sendable, Hashable, CaseIterable {
    /// As ``application``; moreover an app with the role countersigns an employee's first key at once.
    case automatic
    /// An app whose secret has the role, or an admin with an authorized key.
    case application
    /// Only an authorized key of the security admin or an admin.
    case securityAdmin
}

/// How an employee becomes active.
public enum Approval: String, Sendable, Hashable, CaseIterable {
    /// By registering.
    case automatic
    /// By an admin's approval.
    case admin
}

/// Where the arithmetic of the credentials was done.
public enum CredentialMode: String, Sendable, Hashable, CaseIterable {
    /// The service saw the answers or the passphrase.
    case direct
    /// The client did its half; no answer or passphrase reached the service.
    case blind
}

/// The rules a tenant sets for itself.
public struct TenantPolicy: Sendable, Hashable {
    /// Who decides about keys.
    public var keyAuthorization: KeyAuthorization
    /// How an employee becomes active.
    public var approval: Approval
    /// Whether the direct mode is refused.
    public var blindOnly: Bool
    /// Whether a user with a passphrase may allow the questions as well.
    public var questionsWithPassphrase: Bool

    /// The rules of a tenant that has set none.
    public static let initial = TenantPolicy()

    /// Makes a policy; what is not named is as in ``initial``.
    public init(
        keyAuthorization: KeyAuthorization = .application, approval: Approval = .automatic, blindOnly: Bool = false,
        questionsWithPassphrase: Bool = true
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
    }

    /// Whether credentials may be used in a mode; `policy.blind_only` otherwise.
    public func permits(_ mode: CredentialMode) -> Bool { mode == .blind || !blindOnly }
}
