package import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger

/// The link of a mail that asks to confirm a device, as its address has it.
package struct DeviceMailLink: Sendable, Redacted {
    /// The tenant's id, lower-case.
    package let tenant: String
    /// The flow's id, lower-case.
    package let flow: String
    /// When the link expires, in seconds since 1970.
    package let expires: String
    /// The code of the link, 64 lower-case hexadecimal digits.
    package let key: String

    package init(tenant: String, flow: String, expires: String, key: String) {
        self.tenant = tenant
        self.flow = flow
        self.expires = expires
        self.key = key
    }

    /// Whether a cookie is that of a wait for the decision that the link is about. It may be made up: the secret in it
    /// is not read.
    package func isAwaited(by cookie: String) -> Bool {
        UUID(entered: flow).map { WaitCookie(cookie)?.id == FlowID($0) } ?? false
    }

    /// The wait of the link; `nil` if the link is none of this service, has expired, or the wait is over.
    func scene(_ context: ServiceContext, at time: Timestamp) async throws -> WaitScene? {
        guard let tenant = UUID(entered: tenant), let flow = UUID(entered: flow),
            let row = try await BrowserWaitRow.find(FlowID(flow), in: TenantID(tenant), context, at: time),
            let link = MailLink(
                .device, recipient: self.flow, expires: expires, key: key, about: row.fingerprint),
            context.standing(of: link, at: time) == .valid
        else { return nil }
        return try await WaitScene.load(row, context)
    }
}

/// What the page behind the link of a mail shows.
package struct DeviceMailView: Sendable, Equatable {
    /// Whether the browser is the one that waits. There a button confirms; anywhere else there is the code.
    package let isWaiting: Bool
    /// The code to type in the waiting browser, such as `7KQ2-M9XA`; empty there.
    package let code: String
    /// Whether the account never had a device key in force.
    package let isFirst: Bool
    /// The SHA-256 of the device key, 32 bytes.
    package let fingerprint: [UInt8]
    /// The name of the device; empty if it told none.
    package let device: String
    /// The network that the device's address is in; empty if it is unknown.
    package let network: String
    package let companyName: String
    /// When the key was presented.
    package let presentedAt: Timestamp
}

/// Reads what the page behind the link of a mail shows. It changes nothing, because mail programs open links too.
package struct ReadDeviceMail: UseCase {
    package let link: DeviceMailLink
    /// The value of the waiting browser's cookie; `nil` without one.
    package let cookie: String?

    package init(link: DeviceMailLink, cookie: String?) {
        self.link = link
        self.cookie = cookie
    }

    /// Returns what the page shows; `nil` for a link that is not valid, was used, or whose wait is over.
    package func run(_ run: UseCaseRun<DeviceMailView?>) async throws -> DeviceMailView? {
        let context = run.context, time = run.call.time
        guard let scene = try await link.scene(context, at: time), scene.standing(at: time) == .pending,
            let mail = scene.row.mail, time < mail.until
        else { return nil }
        let rule = DeviceMailRule(scene: scene, context: context)
        guard let recipient = try await rule.recipient(at: time), recipient.position == mail.address else { return nil }
        let isWaiting = context.isWaiting(cookie, with: scene.row), origin = WaitOrigin.of(scene.row, context.ring)
        return DeviceMailView(
            isWaiting: isWaiting, code: isWaiting ? "" : TypedCode(of: scene.row, mail, context.ring).shown,
            isFirst: rule.isFirstKey, fingerprint: scene.row.fingerprint, device: origin.device,
            network: origin.network,
            companyName: scene.tenant.state.companyName ?? "", presentedAt: scene.row.provedAt)
    }
}

/// Takes the answer of whoever opened the link of a mail.
package struct AnswerDeviceMail: UseCase {
    /// What the reader of the mail wants.
    package enum Wish: Sendable {
        /// Confirm the device. Only the browser that waits may.
        case confirm
        /// Refuse the device for good: "this was not me".
        case refuse
    }

    package let link: DeviceMailLink
    package let wish: Wish
    /// The value of the waiting browser's cookie; `nil` without one.
    package let cookie: String?
    /// The pages app, which vouches.
    package let app: AppCaller

    package init(link: DeviceMailLink, wish: Wish, cookie: String?, app: AppCaller) {
        self.link = link
        self.wish = wish
        self.cookie = cookie
        self.app = app
    }

    /// Does what the reader wants, and returns whether it is done now. A link that is not valid does nothing.
    package func run(_ run: UseCaseRun<Bool>) async throws -> Bool {
        let context = run.context, time = run.call.time
        guard let scene = try await link.scene(context, at: time), scene.standing(at: time) == .pending else {
            return false
        }
        let decision = WaitDecision(app: app, context: context, call: run.call)
        let flow = FlowID(scene.row.flow), tenant = TenantID(scene.row.tenant)
        switch wish {
        case .refuse: return try await decision.refuse(flow, in: tenant)
        case .confirm:
            guard context.isWaiting(cookie, with: scene.row) else { return false }
            return try await decision.confirm(flow, in: tenant)
        }
    }
}

extension ServiceContext {
    fileprivate func isWaiting(_ cookie: String?, with row: BrowserWaitRow) -> Bool {
        guard let cookie = cookie.flatMap(WaitCookie.init) else { return false }
        return cookie.tenant.uuid == row.tenant && cookie.id.uuid == row.flow && cookie.digest(ring) == row.digest
    }
}
