import Canonical
import Crypto
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// Exchanges an authorization code for tokens (RFC 6749, section 4.1.3).
///
/// The code's id is that of the grant, and the append that opens the grant expects its stream to be new: of any number
/// of redemptions one wins. A later one ends the grant, because then two parties hold the code (section 10.5). Whoever
/// presents a code wrongly makes it worthless.
package struct RedeemCode: UseCase, Redacted {
    package let client: AuthenticatedClient
    package let code: String
    /// The redirect URI of the authorization request.
    package let redirect: String
    /// The text whose SHA-256 the authorization request named (RFC 7636); `nil` if the client sent none.
    package let verifier: String?

    package init(client: AuthenticatedClient, code: String, redirect: String, verifier: String?) {
        self.client = client
        self.code = code
        self.redirect = redirect
        self.verifier = verifier
    }

    /// Exchanges the code.
    package func run(_ run: UseCaseRun<TokenAnswer>) async throws -> TokenAnswer {
        let context = run.context, time = run.call.time
        guard let code = AuthorizationCode(code),
            let row = try await AuthorizationCodeRow.find(code, context, at: time)
        else { return .invalidGrant(.codeUnknown) }
        return try await optimistic { try await redeem(row, run.call, context) }
    }

    private func redeem(
        _ code: AuthorizationCodeRow, _ call: Call, _ context: ServiceContext
    ) async throws -> TokenAnswer {
        let time = call.time, tenant = TenantID(code.tenant)
        let session = try await context.presentSession(code.session, of: code.tenant)
        let log = try await GrantInLog.read(
            EmployeeID(code.employee), in: tenant, client: AppID(code.client),
            app: AppID(session?.row.app ?? code.client), session: session?.row.id ?? code.session,
            grant: GrantID(code.id), context)
        guard !log.isOpened else {
            try await EndGrant(context: context).run(code.id, in: tenant, .codeReused, call)
            return .invalidGrant(.codeReused)
        }
        if let cause = fault(of: code, at: time) {
            if !code.isDead { try await code.kill(context) }
            return .invalidGrant(cause)
        }
        if let cause = log.refusalOfOpening { return .invalidGrant(cause) }
        guard let session, session.isInForce, time < min(session.row.end, session.row.refreshEnd),
            let app = session.row.app, let registration = log.registration, let redirect = try? ClientURI(code.redirect)
        else { return .invalidGrant(.sessionEnded) }
        guard !code.challenge.isEmpty || !registration.needsChallenge else { return .invalidGrant(.challengeMissing) }
        // A consent may have been withdrawn since the code was issued.
        guard
            registration.consent(at: redirect) == .never
                || code.scopes.isSubset(of: log.ground.consent.scopes ?? [])
        else { return .invalidGrant(.consentMissing) }
        let row = grant(
            of: code, session.row, app: app, log, isUnassured: registration.isUnassured(at: redirect), at: time, context
        )
        let tokens = try await row.tokens(log, registration, nonce: code.nonce, at: time, context)
        if !code.challenge.isEmpty { try await noteChallenge(log, call, context) }
        try await append(row, log, call, context)
        return .issued(tokens)
    }

    /// Records that the client answers challenges, the first time since the operator left the choice to it. Before the
    /// grant, so that nobody who has tokens by a challenge can be attacked without one.
    private func noteChallenge(_ log: GrantInLog, _ call: Call, _ context: ServiceContext) async throws {
        let events = try App.decided(log.client.state, .noteChallenge)
        guard !events.isEmpty else { return }
        var recorder = EventRecorder(
            context, at: call.time, metadata: EventMetadata(app: client.id, requestId: call.requestId))
        try recorder.add(events, to: .app(log.client.id), version: log.client.version)
        try await recorder.append()
    }

    /// Why the code may not be redeemed; `nil` if it is in force, and client, redirect URI and verifier are those of the
    /// authorization request. A verifier without a challenge is an attack that removed the challenge (RFC 9700, section
    /// 4.8.2).
    private func fault(of code: AuthorizationCodeRow, at time: Timestamp) -> OpenIDCause? {
        if code.isDead { return .codeSpoilt }
        guard time < code.expiresAt else { return .codeExpired }
        guard code.client == client.id else { return .clientDiffers }
        guard code.redirect.utf8.elementsEqual(redirect.utf8) else { return .redirectDiffers }
        guard let verifier else { return code.challenge.isEmpty ? nil : .verifierMissing }
        guard !code.challenge.isEmpty else { return .verifierUnexpected }
        return answers(verifier, code.challenge) ? nil : .verifierWrong
    }

    private func answers(_ verifier: String, _ challenge: [UInt8]) -> Bool {
        let digest = Array(SHA256.hash(data: Array(verifier.utf8)))
        let differences = zip(digest, challenge).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        return (43...128).contains(verifier.utf8.count) && challenge.count == digest.count && differences == 0
    }

    private func grant(
        of code: AuthorizationCodeRow, _ session: SessionRow, app: UUID, _ log: GrantInLog, isUnassured: Bool,
        at time: Timestamp, _ context: ServiceContext
    ) -> GrantRow {
        let isOffline = code.scopes.contains(.offlineAccess)
        let lifetime = log.offlineLifetime(isUnassured: isUnassured)
        let end = isOffline ? time.adding(lifetime) : min(session.end, session.refreshEnd)
        return GrantRow(
            tenant: code.tenant, id: code.id, session: session.id, employee: code.employee,
            fingerprint: session.fingerprint, client: client.id, secret: client.secretID, app: app,
            tenantVersion: Int64(log.tenant.version), scopes: code.scopes, methods: code.methods,
            authenticatedAt: code.authenticatedAt, refreshedAt: time,
            accessEnd: min(time.adding(context.settings.accessLifetime), end), end: end, openedIn: session.id)
    }

    private func append(
        _ row: GrantRow, _ log: GrantInLog, _ call: Call, _ context: ServiceContext
    ) async throws {
        let tenant = log.tenant.id, employee = log.employee.id
        var recorder = EventRecorder(
            context, at: call.time,
            metadata: EventMetadata(
                actor: employee.uuid, app: client.id, requestId: call.requestId,
                causes: log.opening.map { [$0] } ?? []))
        try recorder.add(
            GrantOpened(
                grantID: GrantID(row.id), sessionID: SessionID(row.session), employeeID: employee,
                clientID: AppID(row.client), scopes: row.scopes, expiresAt: row.end),
            to: .grant(GrantID(row.id), in: tenant), version: 0)
        recorder.expectations[.tenant(tenant)] = log.tenant.version
        recorder.expectations[.employee(employee, in: tenant)] = log.employee.version
        recorder.expectations[.session(row.session, in: tenant)] = 1
        recorder.expectations[.consent(employee, to: AppID(row.client), in: tenant)] = log.consentVersion
        recorder.statements = [row.insertion(context.ring)]
        try await recorder.append()
    }
}
