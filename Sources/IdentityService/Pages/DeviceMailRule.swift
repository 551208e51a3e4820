import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Says when a mail may ask the owner of an account to confirm a device, so that the pages app vouches for its key.
///
/// Answers never suffice, and a mailbox proves no membership. So the first key of an account needs an address of the
/// tenant's confirmed domain, an invitation, or the policy `automatic`. A further key needs a right credential in the
/// same flow, which a recovery lacks, and an address that was verified before. An admin's key is never confirmed by
/// mail, nor is any under the policy `securityAdmin`.
struct DeviceMailRule: Sendable {
    /// The time for which the link of the mail is valid.
    static let lifetime: Duration = .seconds(600)

    let scene: WaitScene
    let context: ServiceContext

    /// An address that a mail may go to.
    struct Recipient: Sendable {
        let user: User.State
        let address: EmailAddress
        /// The position of the event that has the address.
        let position: Int64
        /// Whether the link verifies the address too: that of a first key.
        let verifies: Bool
    }

    /// The address of the owner, if a mail to it may confirm the key.
    func recipient(at time: Timestamp) async throws -> Recipient? {
        guard context.mail != nil, scene.standing(at: time) == .pending, permitsAccount else { return nil }
        let user = try await context.userWithAddress(scene.account.user)
        guard user.isAddressSettled(at: time), let text = user.email?.text, let position = user.address?.place.position,
            let address = try? EmailAddress(recorded: text), !address.isDummy, DeliverableAddress(text) != nil
        else { return nil }
        let isVerified = user.isEmailVerified || scene.account.isEmailVerified
        guard isFirstKey else {
            return isVerified && hasProvedSecret
                ? Recipient(user: user, address: address, position: position, verifies: false) : nil
        }
        guard try await admits(address) else { return nil }
        return Recipient(user: user, address: address, position: position, verifies: !user.isEmailVerified)
    }

    /// Whether the account never had a key in force.
    var isFirstKey: Bool { scene.employee.state.keys.values.allSatisfy { $0.authorized == nil } }

    /// Whether the flow proved a secret of the person. In a recovery the secrets were chosen, and not proved.
    private var hasProvedSecret: Bool {
        AuthenticationMethods(text: scene.row.methods).secretProved
    }

    /// Whether account and policy permit that an app vouches.
    private var permitsAccount: Bool {
        let tenant = scene.tenant.state
        return scene.account.status == .active && tenant.role(of: scene.account.id) == .employee
            && tenant.policy.keyAuthorization != .securityAdmin
            && tenant.links(AppID(scene.row.app), as: .authorization)
    }

    /// The key of the person, as employee of the tenant.
    private func key() async throws -> PersonKey? {
        let id = scene.account.id.uuid
        return try await context.personKeys.load([id], ledger: scene.row.tenant)[id]
    }

    private func admits(_ address: EmailAddress) async throws -> Bool {
        if scene.tenant.state.policy.keyAuthorization == .automatic
            || DomainRegistration.admits(address, scene.tenant)
        {
            return true
        }
        let invited = context.ring.invitedClaim(scene.account.id, in: scene.tenant.id)
        return try await context.reader.claim(invited) != nil
    }

    /// A mail and what the wait's row says of it; `nil` if there is none to send, or the address had too many.
    ///
    /// - Parameter address: The IP address of the browser; `nil` if it is unknown.
    func mail(
        at time: Timestamp, from address: String?, _ languages: [String]
    ) async throws -> (mail: QueuedMail, row: BrowserWaitRow.Mail)? {
        guard let recipient = try await recipient(at: time) else { return nil }
        do {
            try await context.chargeMail(to: recipient.address.key, app: nil, at: time)
        } catch let refusal as ServiceError where refusal.code == .requestRateLimited {
            return nil
        }
        let until = min(time.adding(Self.lifetime), scene.row.expiresAt)
        let mail = QueuedMail(
            .deviceConfirmation, to: .user(scene.account.user), in: LedgerID(scene.row.tenant), until: until, at: time,
            languages: languages
        ).caused(from: address, sealedBy: try await key(), of: scene.account.id)
        return (
            mail,
            BrowserWaitRow.Mail(id: mail.event.mailID.uuid, until: until, address: recipient.position)
        )
    }
}
