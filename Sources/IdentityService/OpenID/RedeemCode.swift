import Canonical
import Crypto
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import TenureAPI

/// Exchanges an authorization code for tokens (RFC 6749, section 4.1.3).
///
/// The code's id is that of the grant, and the append that opens the grant expects its stream to be new: of any number
/// of redemptions one wins. A later one ends the grant, because then two parties hold the code (section 10.5). Whoever
/// presents a code wrongly makes it worthless.
package struct RedeemCode: UseCase, CustomStringConvertible {
    /// The client.
    package let client: AuthenticatedClient
    /// The code.
    package let code: String
    /// The redirect URI of the authorization request.
    package let redirect: String
    /// The text whose SHA-256 the authorization request named (RFC 7636).
    package let verifier: String
    /// A placeholder that never contains the code.
    package var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    package init(client: AuthenticatedClient, code: String, redirect: String, verifier: String) {
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
        else { return .invalidGrant }
        return try await optimistic { try await redeem(row, run.call, context) }
    }

    private func redeem(
        _ code: AuthorizationCodeRow, _ call: Call, _ context: ServiceContext
    ) async throws -> TokenAnswer {
        let time = call.time, tenant = TenantID(code.tenant)
        let session = try await context.session(code.session, of: code.tenant, at: time)
        let log = try await GrantInLog.read(
            EmployeeID(code.employee), in: tenant, client: AppID(code.client),
            app: AppID(session?.row.app ?? code.client), session: code.session, grant: GrantID(code.id), context)
        guard !log.isOpened else {
            try await EndGrant(context: context).run(code.id, in: tenant, .codeReused, call)
            return .invalidGrant
        }
        guard !code.isDead, time < code.expiresAt, isRight(for: code) else {
            if !code.isDead { try await code.kill(context) }
            return .invalidGrant
        }
        guard let session, session.isInForce, time < min(session.row.end, session.row.refreshEnd),
            let app = session.row.app, log.permitsOpening, let registration = log.registration,
            let redirect = try? ClientURI(code.redirect)
        else { return .invalidGrant }
        // A consent may have been withdrawn since the code was issued.
        guard
            registration.consent(at: redirect) == .never
                || code.scopes.isSubset(of: log.ground.consent.scopes ?? [])
        else { return .invalidGrant }
        let row = grant(
            of: code, session.row, app: app, log, isUnassured: registration.isUnassured(at: redirect), at: time, context
        )
        let tokens = try await row.tokens(log, registration, nonce: code.nonce, at: time, context)
        try await append(row, log, call, context)
        return .issued(tokens)
    }

    /// Whether client, redirect URI and verifier are those of the authorization request.
    private func isRight(for code: AuthorizationCodeRow) -> Bool {
        let digest = Array(SHA256.hash(data: Array(verifier.utf8)))
        let differences = zip(digest, code.challenge).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        return code.client == client.id && code.redirect.utf8.elementsEqual(redirect.utf8)
            && (43...128).contains(verifier.utf8.count) && code.challenge.count == digest.count && differences == 0
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
            tenantVersion: Int64(log.tenant.version), scopes: code.scopes, methods: session.methods,
            authenticatedAt: session.createdAt, refreshedAt: time,
            accessEnd: min(time.adding(context.settings.accessLifetime), end), end: end)
    }

    private func append(
        _ row: GrantRow, _ log: GrantInLog, _ call: Call, _ context: ServiceContext
    ) async throws {
        let tenant = log.tenant.id, employee = log.employee.id
        var recorder = EventRecorder(
            context, at: call.time,
            metadata: EventMetadata(actor: employee.uuid, app: client.id, requestId: call.requestId))
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
