/// Where the private half of a device key can be, as far as a decision asks.
package enum KeyHolding: String, Sendable, Hashable, CaseIterable {
    /// In the software of one client.
    case software
    /// In one authenticator: a passkey that cannot be copied, by the authenticator's word.
    case bound
    /// With a sync provider, which may copy the passkey to other machines.
    case synced

    /// Where the private half of a presented key can be. What a passkey does not say counts against it.
    init(_ presented: EmployeeKeyPresented) {
        switch (presented.kind, presented.passkey?.isBackupEligible) {
        case (.software, nil): self = .software
        case (.passkey, false?): self = .bound
        default: self = .synced
        }
    }
}

extension Employee.State {
    /// Where the private half of a device key can be; `software` for an unknown one.
    package func holding(of key: PublicKeyBytes) -> KeyHolding { keys[key]?.holding ?? .software }

    /// Returns the authorized keys that carry the role in a session or a decision; see
    /// ``TenantPolicy/admitsRole(of:secretProved:)``.
    ///
    /// - Parameter secretProved: Whether the log-in proved a secret.
    package func roleKeys(in tenant: Tenant.State, secretProved: Bool) -> Set<PublicKeyBytes> {
        roleKeys(in: tenant).filter { tenant.policy.admitsRole(of: holding(of: $0), secretProved: secretProved) }
    }
}
