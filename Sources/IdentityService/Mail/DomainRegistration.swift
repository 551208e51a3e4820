import Canonical
import ErrorCodes
import EventCoding
import Identity
import Ledger

/// The registration mode `domain`: an address of the tenant's confirmed domain takes the place of an invitation, once it
/// is verified.
///
/// Anybody can name such an address. So the account is registered at once, but no app authorizes a device key of it
/// before the address is verified. An admin may: admins let anybody in by invitations too.
struct DomainRegistration: Sendable {
    let context: ServiceContext

    /// Whether a tenant admits an address without an invitation. It depends on the tenant and the address only, not on
    /// whether anybody has it.
    static func admits(_ address: EmailAddress, _ tenant: TenantSnapshot) -> Bool {
        tenant.state.hasConfirmed(address)
    }

    /// Refuses an app's authorization of a key if the account has never had a key in force, came without an invitation
    /// and its address is not verified.
    ///
    /// - Throws: `email.unverified`.
    func requireVerified(_ employee: EmployeeSnapshot, in tenant: TenantSnapshot) async throws {
        guard try await waits(employee, in: tenant) else { return }
        throw ServiceError(.emailUnverified)
    }

    /// Whether an account waits for the verification of its address.
    func waits(_ employee: EmployeeSnapshot, in tenant: TenantSnapshot) async throws -> Bool {
        guard tenant.state.policy.registrationMode == .domain, let account = employee.state.account,
            !account.isEmailVerified, employee.state.keys.values.allSatisfy({ $0.authorized == nil })
        else { return false }
        let invited = context.ring.invitedClaim(employee.id, in: tenant.id)
        guard try await context.reader.claim(invited) == nil else { return false }
        let user = try await StateLoader(reader: context.reader).user(account.user).state
        return !user.isEmailVerified || !user.isAddressSettled(at: context.settings.now())
    }

    /// Another mail to somebody who logs in while the account waits; `nil` if it does not.
    func reminder(
        _ employee: EmployeeSnapshot, in tenant: TenantSnapshot, app: AppCaller, at time: Timestamp
    ) async throws -> QueuedMail? {
        guard let user = employee.state.account?.user, try await waits(employee, in: tenant),
            let text = try await context.userWithAddress(user).email?.text,
            let address = try? EmailAddress(recorded: text)
        else { return nil }
        return try await mail(to: user, address, app: app, at: time)
    }

    /// The mail to somebody whose account waits; `nil` if the address has had too many mails, or none can be sent.
    ///
    /// The pages send none here: the mail about the device that waits verifies the address too.
    func mail(to user: UserID, _ address: EmailAddress, app: AppCaller, at time: Timestamp) async throws -> QueuedMail?
    {
        guard context.mail != nil, !app.isPagesApp else { return nil }
        do {
            try await context.chargeMail(to: address.key, app: app.appId, at: time)
        } catch let refusal as ServiceError where refusal.code == .requestRateLimited {
            return nil
        }
        return context.verification(of: user, at: time)
    }
}
