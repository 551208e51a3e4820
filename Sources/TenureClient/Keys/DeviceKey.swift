public import Credentials

/// A device's P-256 key, wherever it is kept.
///
/// The methods get what was parsed and compared; an implementation signs nothing else.
public protocol DeviceKey: Sendable {
    /// The public half.
    var publicKey: EmployeePublicKey { get }
    /// Signs a challenge.
    func signature(over challenge: Challenge) async throws -> Signature
    /// Signs a new record of credentials.
    func signature(over credentials: NewCredentials) async throws -> Signature
    /// Signs a statement about an employee key.
    func signature(over statement: KeyStatement) async throws -> Signature
    /// Signs a statement about the policy.
    func signature(over statement: PolicyStatement) async throws -> Signature
    /// Signs a statement about an app's link.
    func signature(over statement: AppLinkStatement) async throws -> Signature
    /// Signs a statement about somebody's recovery.
    func signature(over statement: RecoveryStatement) async throws -> Signature
    /// Signs a statement about an admin.
    func signature(over statement: RoleStatement) async throws -> Signature
    /// Signs a statement about the next security admin.
    func signature(over statement: SuccessionStatement) async throws -> Signature
}

/// A key in memory.
extension EmployeeKey: DeviceKey {
    /// Signs a challenge.
    public func signature(over challenge: Challenge) async throws -> Signature { try sign(challenge) }

    /// Signs a new record of credentials.
    public func signature(over credentials: NewCredentials) async throws -> Signature { try sign(credentials) }

    /// Signs a statement about an employee key.
    public func signature(over statement: KeyStatement) async throws -> Signature {
        try sign(statement: statement.bytes, as: KeyStatement.self, tag: statement.tag).1
    }

    /// Signs a statement about the policy.
    public func signature(over statement: PolicyStatement) async throws -> Signature {
        try sign(statement: statement.bytes, as: PolicyStatement.self, tag: statement.tag).1
    }

    /// Signs a statement about an app's link.
    public func signature(over statement: AppLinkStatement) async throws -> Signature {
        try sign(statement: statement.bytes, as: AppLinkStatement.self, tag: statement.tag).1
    }

    /// Signs a statement about somebody's recovery.
    public func signature(over statement: RecoveryStatement) async throws -> Signature {
        try sign(statement: statement.bytes, as: RecoveryStatement.self, tag: statement.tag).1
    }

    /// Signs a statement about an admin.
    public func signature(over statement: RoleStatement) async throws -> Signature {
        try sign(statement: statement.bytes, as: RoleStatement.self, tag: statement.tag).1
    }

    /// Signs a statement about the next security admin.
    public func signature(over statement: SuccessionStatement) async throws -> Signature {
        try sign(statement: statement.bytes, as: SuccessionStatement.self, tag: statement.tag).1
    }
}
