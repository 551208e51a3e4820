import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// What the link in a mail leads to.
package struct MPinLinkView: Sendable, Equatable {
    /// The tenant's name, which the page shows.
    package var companyName: String
    package var isVerified: Bool
}

/// Verifies an identity by the link that was mailed to its user id.
///
/// Opening the link changes nothing, because mail scanners open links. The button on the page verifies, and doing so
/// twice is the same as once.
package struct VerifyMPinByMail: UseCase {
    /// What a client or a mail presents.
    package enum Proof: Sendable {
        /// The members of a link: the identity, when the link expires (seconds since 1970), and the code as 64
        /// hexadecimal characters.
        case link(identity: String, expires: String, key: String)
        /// The code of the last link, by an app that has a page of its own.
        case activateKey(String, mpinID: String, app: AppCaller)
    }

    package let company: String
    /// What is presented.
    package let proof: Proof
    /// Whether the identity is verified; otherwise the link is only looked at.
    package let isConfirmed: Bool

    package init(company: String, _ proof: Proof, isConfirmed: Bool) {
        self.company = company
        self.proof = proof
        self.isConfirmed = isConfirmed
    }

    static let linkKind = "activation"

    /// Verifies the identity, or only tells whether the link is valid.
    ///
    /// - Throws: `mpin.unknown` for a forged link, `mpin.request_expired` for one that has expired, `mpin.ended` and
    ///   `mpin.blocked`.
    package func run(_ run: UseCaseRun<MPinLinkView>) async throws -> MPinLinkView {
        let context = run.context, time = run.call.time
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let id = TenantID(context.ring.tenantID(companyName: name.canonical))
        return try await optimistic {
            // An app is checked first, so that it is told the same about a tenant of others and about none.
            if case .activateKey(_, _, let app) = proof { _ = try await context.mpin(company, app, role: .creation) }
            let tenant = try await StateLoader(reader: context.reader).tenant(id)
            guard tenant.exists, let companyName = tenant.state.companyName else { throw ServiceError(.mpinUnknown) }
            let identity = try await checked(in: tenant.id, run)
            guard tenant.state.mpinPolicy.enabled else { throw ServiceError(.mpinDisabled) }
            let events = try MPinIdentity.decided(identity.state, .verify(.email, at: time))
            guard isConfirmed, !events.isEmpty else {
                return MPinLinkView(companyName: companyName, isVerified: events.isEmpty)
            }
            var recorder = EventRecorder(context, at: time, metadata: EventMetadata(requestId: run.call.requestId))
            recorder.expectations[.tenant(tenant.id)] = tenant.version
            recorder.notAfter = identity.state.deadline
            try recorder.add(events, to: .mpin(identity.id, in: tenant.id), version: identity.version)
            try await recorder.append()
            return MPinLinkView(companyName: companyName, isVerified: true)
        }
    }

    /// Finds the identity, and checks the code before anything about it is told.
    private func checked(in tenant: TenantID, _ run: UseCaseRun<MPinLinkView>) async throws -> MPinIdentitySnapshot {
        let context = run.context, now = run.call.time.microseconds / 1_000_000
        let identity: MPinIdentitySnapshot, expires: Int64, code: String
        switch proof {
        case .link(let id, let end, let key):
            guard let id = UUID(entered: id), let end = Int64(end), end > 0, end < 253_402_300_800 else {
                throw ServiceError(.mpinUnknown)
            }
            identity = try await context.mpinIdentity(MPinIdentityID(id), in: tenant)
            (expires, code) = (end, key)
        case .activateKey(let key, let mpinID, _):
            guard let found = try await context.mpinIdentity(named: MPinID(text: mpinID), in: tenant) else {
                throw ServiceError(.mpinUnknown)
            }
            identity = found
            guard let until = found.state.startedUntil else { throw ServiceError(.mpinUnknown) }
            (expires, code) = (until.microseconds / 1_000_000, key)
        }
        guard let given = Hex.decode(code),
            context.ring.isMailLinkCode(
                given, kind: Self.linkKind, recipient: identity.id.uuid, expires: expires),
            identity.state.registration != nil
        else { throw ServiceError(.mpinUnknown) }
        guard now < expires else { throw ServiceError(.mpinRequestExpired) }
        return identity
    }
}

/// The mail that verifies an M-Pin identity.
struct MPinMail: Sendable {
    let context: ServiceContext
    let call: Call

    init(_ context: ServiceContext, _ call: Call) {
        self.context = context
        self.call = call
    }

    /// Whether a user id is meant as an address that a mail can go to. A code, a decision or a link verifies the others.
    static func isWanted(for userID: MPinUserID) -> Bool {
        guard userID.entered.contains("@") else { return false }
        return userID.address?.isDummy != true
    }

    /// Charges the mail to the address, before anything is decided. A user id that gets no mail is not charged.
    ///
    /// - Throws: `mail.unavailable`, `request.invalid` for a user id that is no address, and `request.rate_limited`.
    func charge(_ userID: MPinUserID, app: AppCaller) async throws {
        guard Self.isWanted(for: userID) else { return }
        try context.requireMail()
        guard DeliverableAddress(userID.entered) != nil else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/userId", detail: "an address with ASCII before the @ is expected")])
        }
        try await context.chargeMail(to: userID.key, app: app.appId, at: call.time)
    }

    /// Adds the mail to the append of a start.
    ///
    /// - Parameter end: When the registration expires, and the link with it.
    func add<Answer>(
        for id: MPinIdentityID, in tenant: TenantID, until end: Timestamp, _ languages: [String],
        to recorder: inout DecisionRecorder<Answer>
    ) throws {
        try recorder.queue(
            QueuedMail(
                .activation, to: .identity(id), in: LedgerID(tenant.uuid), until: end, at: call.time,
                languages: languages))
    }
}
