import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import TenureAPI

/// Starts the registration of a PIN for a user id on one device.
///
/// The identity is verified at once by an activation code, or by an app with AUTHORIZATION where the tenant's policy
/// leaves it to the app. Otherwise a mail goes to the user id, or the app decides later.
package struct StartMPinRegistration: UseCase {
    package let company: String
    /// The user id: an e-mail address or any name.
    package let userID: String
    /// The name of the device, if it gives one.
    package let deviceName: String?
    /// An activation code, if the user has one.
    package let activationCode: String?
    /// The languages that the caller prefers, for the mail.
    package let languages: [String]
    package let app: AppCaller

    package init(
        company: String, userID: String, deviceName: String? = nil, activationCode: String? = nil,
        languages: [String] = [], app: AppCaller
    ) {
        self.company = company
        self.userID = userID
        self.deviceName = deviceName
        self.activationCode = activationCode
        self.languages = languages
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.registration) }

    package func run(_ run: UseCaseRun<MPinRegistrationResponse>) async throws -> MPinRegistrationResponse {
        let userID = try parsed { () throws(ValueError) in try MPinUserID(self.userID) }
        let device = try deviceName.map { name in
            try parsed { () throws(ValueError) in try MPinDeviceText(name, field: "deviceName") }
        }
        let time = run.call.time, mpinID = MPinID(of: userID, at: time), id = MPinIdentityID(UUID())
        let hash = try mpinID.hash
        let mail = MPinMail(run.context, run.call)
        if activationCode == nil,
            try await run.context.mpin(company, app, role: .creation).policy.verification == .email
        {
            try await mail.charge(userID, app: app)
        }
        return try await optimistic(retryingClaims: true) {
            let company = try await run.context.mpin(company, app, role: .creation)
            var recorder = DecisionRecorder(access: company.access, run)
            let proof = try await verification(of: id, mpinID, userID, company, &recorder, run)
            let slot = try await MPinSlot.find(
                for: userID, in: company.tenant, isVerified: proof != nil, at: time, run.context)
            try slot.add(for: id, in: company.tenant, to: &recorder)
            let events = try MPinIdentity.decided(
                MPinIdentity.initial,
                .start(
                    MPinIdentity.Start(
                        id: id, mpinIDHash: hash, userID: userID, deviceName: device, policy: company.policy,
                        verifiedBy: proof, time: time)))
            let (key, insertion) = try await run.context.personKeys.create(id: id.uuid, ledger: company.tenant.uuid)
            recorder.statements.append(insertion)
            try recorder.add(events, to: .mpin(id, in: company.tenant), version: 0, keys: [id.uuid: key])
            recorder.claims.append(
                Claim(key: run.context.ring.mpinClaim(hash: try mpinID.hash, in: company.tenant), owner: id.uuid))
            if proof == nil, company.policy.verification == .email, MPinMail.isWanted(for: userID) {
                try mail.add(
                    for: id, in: company.tenant, until: time.adding(MPinIdentity.registrationWindow), languages,
                    to: &recorder)
            }
            let registration = MPinRegistrationResponse(
                mpinID, id, token: run.context.mpinRegistrationToken(id, in: company.tenant),
                expiresAt: time.adding(proof == nil ? MPinIdentity.registrationWindow : MPinIdentity.issuingWindow),
                at: time, isActive: proof != nil)
            return try await recorder.append { _ in registration }
        }
    }

    /// What verifies the identity at once; `nil` if nothing does.
    private func verification(
        of id: MPinIdentityID, _ mpinID: MPinID, _ userID: MPinUserID, _ company: MPinCompany,
        _ recorder: inout DecisionRecorder<MPinRegistrationResponse>, _ run: UseCaseRun<MPinRegistrationResponse>
    ) async throws -> MPinIdentity.VerificationProof? {
        if let activationCode {
            let activation = MPinActivationCode(company.access, run.context)
            try await activation.use(activationCode, of: userID, for: id, in: &recorder)
            return .code
        }
        guard company.policy.verification == .application, company.mayVerify else { return nil }
        let vouching = MPinVouching(company: company, app: app, context: run.context)
        return .application(try await vouching.verification(of: id, hash: try mpinID.hash, at: run.call.time))
    }
}

/// The decision of an app that a registration is verified as it starts.
struct MPinVouching: Sendable {
    let company: MPinCompany
    let app: AppCaller
    let context: ServiceContext

    /// The decision, with the statement that the app's key signs.
    func verification(of id: MPinIdentityID, hash: Bytes32, at time: Timestamp) async throws -> AuthorityDecision {
        let exchange = StatementExchange(context: context, access: company.access)
        let facts = StatementFacts(try await exchange.statementContext(at: time), company.access.tenant)
        let statement = facts.mpin(.verify, id, hash.bytes, reason: "started")
        return try company.access.decision(try exchange.vouch(statement, app.presented))
    }
}

/// Starts an unverified or expired registration again: a new mail, and another hour.
package struct RestartMPinRegistration: UseCase {
    /// The time that has to pass between two starts.
    static let pause: Duration = .seconds(60)

    package let company: String
    /// The M-Pin ID in hexadecimal.
    package let mpinID: String
    package let token: String
    /// The user id, which must be that of the registration.
    package let userID: String
    /// The languages that the caller prefers, for the mail.
    package let languages: [String]
    package let app: AppCaller

    package init(
        company: String, mpinID: String, token: String, userID: String, languages: [String] = [], app: AppCaller
    ) {
        self.company = company
        self.mpinID = mpinID
        self.token = token
        self.userID = userID
        self.languages = languages
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.registration) }

    /// Starts the registration again.
    package func run(_ run: UseCaseRun<MPinRegistrationResponse>) async throws -> MPinRegistrationResponse {
        let userID = try parsed { () throws(ValueError) in try MPinUserID(self.userID) }
        let mpinID = try MPinID(text: self.mpinID), time = run.call.time
        let mail = MPinMail(run.context, run.call)
        var isCharged = false
        return try await optimistic {
            let company = try await run.context.mpin(company, app, role: .creation)
            let found = try await run.context.mpinRegistration(mpinID, token: token, in: company.tenant)
            let identity = try await run.context.mpinIdentity(found.id, in: company.tenant, readsUserID: true)
            let events = try await restarted(identity, company, at: time, run.context)
            try check(identity, userID, at: time)
            let isActive = events.count > 1
            var recorder = DecisionRecorder(access: company.access, run)
            try recorder.add(events, to: .mpin(identity.id, in: company.tenant), version: identity.version)
            let end = time.adding(isActive ? MPinIdentity.issuingWindow : MPinIdentity.registrationWindow)
            if !isActive, identity.state.link == nil, identity.state.registration?.verification == .email,
                MPinMail.isWanted(for: userID)
            {
                if !isCharged { try await mail.charge(userID, app: app) }
                isCharged = true
                try mail.add(for: identity.id, in: company.tenant, until: end, languages, to: &recorder)
            }
            let registration = MPinRegistrationResponse(
                mpinID, identity.id, token: token, expiresAt: end, at: time, isActive: isActive)
            return try await recorder.append { _ in registration }
        }
    }

    /// The events of a restart. An app that may verify does so at once, where the policy leaves it to the app.
    private func restarted(
        _ identity: MPinIdentitySnapshot, _ company: MPinCompany, at time: Timestamp, _ context: ServiceContext
    ) async throws -> [MPinIdentityEvent] {
        let policy = company.policy
        var events = try MPinIdentity.decided(identity.state, .restart(policy, at: time))
        guard policy.verification == .application, company.mayVerify, identity.state.link == nil,
            let hash = identity.state.registration?.mpinIDHash, let event = events.first
        else { return events }
        var state = identity.state
        MPinIdentity.evolve(
            &state, Recorded(event, id: UUID(), time: time, position: .max, version: identity.version + 1))
        let vouching = MPinVouching(company: company, app: app, context: context)
        let decision = try await vouching.verification(of: identity.id, hash: hash, at: time)
        events += try MPinIdentity.decided(state, .verify(.application(decision), at: time))
        return events
    }

    /// Refuses another user id, and a restart too soon after the last start.
    private func check(_ identity: MPinIdentitySnapshot, _ userID: MPinUserID, at time: Timestamp) throws {
        let text = identity.state.registration?.userID.text
        guard let text, let registered = try? MPinUserID(text), registered == userID else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/userId", detail: "the user id of the registration is expected")])
        }
        guard let last = identity.state.startedAt else { return }
        let wait = Self.pause.components.seconds - (time.microseconds - last.microseconds) / 1_000_000
        guard wait <= 0 else { throw ServiceError(.requestRateLimited, retryAfterSeconds: Int(wait)) }
    }
}

extension MPinRegistrationResponse {
    /// Tells a client about its registration at `time`, in whole seconds.
    fileprivate init(
        _ mpinID: MPinID, _ id: MPinIdentityID, token: String, expiresAt: Timestamp, at time: Timestamp, isActive: Bool
    ) {
        self.init(
            mpinId: mpinID.text, regOTT: token, expireTime: expiresAt.description.prefix(19) + "Z",
            nowTime: time.description.prefix(19) + "Z", active: isActive, identityId: id.uuid)
    }
}
