package import Canonical
import EventCoding
package import FoundationEssentials
import Identity
import TenureAPI

/// What the page of a waiting browser shows.
package struct WaitView: Sendable, Equatable {
    /// Whether a mail may confirm the device.
    package enum Mail: Sendable, Equatable {
        /// No mail can: somebody else has to decide.
        case none
        /// A mail is about to be sent, and its link is valid until then.
        case fresh(until: Timestamp)
        /// A mail waits, because no mail server takes mails now. It is tried again until then.
        case held(until: Timestamp)
        /// A mail was sent, or a mail server has refused its address. Its link is valid until then.
        case sent(until: Timestamp)
        /// A mail can be sent.
        case possible
    }

    package let standing: WaitStanding
    package let tenantID: UUID
    package let employeeID: UUID
    package let companyName: String
    /// The employee's id; empty if the account was erased.
    package let companyEmployeeId: String
    /// The SHA-256 of the device key, 32 bytes.
    package let fingerprint: [UInt8]
    /// The exact bytes that the device signs to go on; empty unless the key is authorized.
    package let challenge: [UInt8]
    /// Whether the employee has another device key in force, which may authorize this one.
    package let hasOtherDevice: Bool
    /// Whether an admin has to approve the person.
    package let needsApproval: Bool
    /// Whether the device key is in force, so that only the approval of the person is missing.
    package let isApproved: Bool
    /// Whether admins were told by mail, if that was asked for.
    package let told: WaitTold
    /// Whether the employee is an admin, whose devices no app and no ordinary admin decides about.
    package let isAdministrative: Bool
    /// Whether the employee may ask for the return of a security admin who is alone.
    package let mayReturn: Bool
    /// Whether the service can send mails.
    package let canSendMail: Bool
    package let mail: Mail
    /// How many codes may be typed yet.
    package let triesLeft: Int
    /// When the wait expires.
    package let expiresAt: Timestamp
    /// The position of the newest decision about the key, or 0.
    package let decided: Int64
    /// The passkey that the device key is; `nil` for a key of the browser.
    package var passkey: DevicePasskey?
    /// The device key, as statements and challenges name it.
    package var key: [UInt8] = []
}

/// Reads what the log says about a waiting browser. It changes nothing.
package struct ReadWait: UseCase, Redacted {
    package let cookie: String
    /// Whether to read who was told by mail, which takes a read for each admin; otherwise nobody was.
    package let readsTold: Bool

    package init(cookie: String, readsTold: Bool = false) { (self.cookie, self.readsTold) = (cookie, readsTold) }

    /// Returns what a page shows; `nil` for a cookie of no wait, or of one that has expired.
    package func run(_ run: UseCaseRun<WaitView?>) async throws -> WaitView? {
        let context = run.context, time = run.call.time
        guard let (_, scene) = try await context.wait(cookie, at: time) else { return nil }
        let standing = scene.standing(at: time)
        let summary = try await context.summary(of: scene.employee, in: scene.tenant)
        return WaitView(
            standing: standing, tenantID: scene.row.tenant, employeeID: scene.row.employee,
            companyName: summary.companyName, companyEmployeeId: summary.companyEmployeeId ?? "",
            fingerprint: scene.row.fingerprint,
            challenge: standing == .authorized
                ? try await WaitChallenge(scene: scene, context: context).bytes(at: time) : [],
            hasOtherDevice: scene.hasOtherDevice, needsApproval: scene.needsApproval,
            isApproved: scene.key.status == .authorized,
            told: standing == .pending && readsTold
                ? try await WaitNotice(context: context, tenant: scene.tenant).standing(
                    about: scene.employee.id, since: scene.row.provedAt, at: time) : .none,
            isAdministrative: scene.tenant.state.role(of: scene.account.id).isAdministrative,
            mayReturn: context.mail != nil && scene.mayReturn(at: time), canSendMail: context.mail != nil,
            mail: try await mail(of: scene, run),
            triesLeft: max(0, Int(EnterDeviceCode.limit - scene.row.tries)), expiresAt: scene.row.expiresAt,
            decided: scene.decided, passkey: DevicePasskey(scene.key), key: scene.key.key.bytes)
    }

    private func mail(of scene: WaitScene, _ run: UseCaseRun<WaitView?>) async throws -> WaitView.Mail {
        let time = run.call.time
        guard try await DeviceMailRule(scene: scene, context: run.context).recipient(at: time) != nil else {
            return .none
        }
        guard let mail = scene.row.mail, time < mail.until else { return .possible }
        switch try await MailRow.progress(of: mail.id, in: scene.row.tenant, run.context, at: time) {
        case .fresh: return .fresh(until: mail.until)
        case .held: return .held(until: mail.until)
        case nil: return .sent(until: mail.until)
        }
    }
}
