import Canonical
import EventCoding
import Identity
import Keys
import Ledger
import TenureAPI

/// An authorization request with everything that the decision about it depends on.
struct AuthorizationScene: Sendable {
    let context: ServiceContext
    let request: AuthorizationRequest
    let registration: ClientRegistration
    let clientName: String
    let situation: AuthorizationSituation
    let browser: BrowserSession?

    /// Reads client, browser session, tenant and consent.
    ///
    /// - Throws: ``AuthorizationFault`` for a request that cannot be read, with whom it is told to.
    init(
        _ stored: StoredRequest, cookie: String?, _ context: ServiceContext, at time: Timestamp
    ) async throws {
        let id = try AuthorizationRequest.client(of: stored.parameters)
        let app = try await context.client(id)
        guard let registration = app.state.client else { throw AuthorizationFault.page(.unknownClient) }
        request = try AuthorizationRequest(stored.parameters, registration)
        self.context = context
        self.registration = registration
        clientName = app.state.name ?? ""
        let found = try await context.personInBrowser(cookie, at: time)
        browser = found?.session
        var situation = AuthorizationSituation(
            arrivedAt: stored.arrivedAt, time: time, consentMode: registration.consent(at: request.redirect),
            answers: stored.answers)
        if let name = request.tenant {
            // A name that cannot be one is that of nobody's tenant.
            let canonical = (try? CompanyName(name))?.canonical ?? []
            situation.tenant = TenantID(context.ring.tenantID(companyName: canonical))
        }
        if let token = request.idTokenHint {
            let hint = try await IDToken.Hint(token, context, at: time)
            situation.hinted = hint.flatMap { $0.client == id ? .employee($0.employee) : nil } ?? .invalid
        }
        situation.person = try await found.asyncMap { found in
            try await Self.person(found.session, found.log, id, registration, context)
        }
        if context.mail != nil, request.scopes.contains(.email), situation.hasShownPage,
            let employee = found?.log.employee
        {
            situation.isAddressOpen = try await PersonClaims.Address(of: employee, context)?.isVerifiable ?? false
        }
        self.situation = situation
    }

    private static func person(
        _ browser: BrowserSession, _ log: SessionInLog, _ client: AppID, _ registration: ClientRegistration,
        _ context: ServiceContext
    ) async throws -> AuthorizationSituation.Person {
        let tenant = log.tenant.id, employee = log.employee.id
        let consent = try await context.consent(of: employee, to: client, in: tenant)
        return AuthorizationSituation.Person(
            employee: employee, tenant: tenant, authenticatedAt: browser.authenticatedAt,
            refusal: registration.refusal(of: tenant, log.tenant.state, as: client),
            consented: consent.state.scopes,
            hasWithdrawn: consent.state.isWithdrawn)
    }

    /// Notes why the account of the browser is none for the client, and returns it; `nil` if it is one.
    @discardableResult
    func noteRefusal() -> OpenIDCause? {
        let refusal = situation.person.flatMap(situation.refusal)
        if let refusal { RequestNotes.note(refusal) }
        return refusal
    }

    /// The fields of an answer to the client: `iss` is in every one (RFC 9207).
    static func fields(
        _ fields: [(name: String, value: String)], state: String?, issuer: String
    ) -> [(name: String, value: String)] {
        fields + (state.map { [(name: "state", value: $0)] } ?? []) + [(name: "iss", value: issuer)]
    }
}

extension Optional {
    func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async throws -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}

extension ServiceContext {
    /// The consent of an employee to a client, with the version of its stream.
    func consent(
        of employee: EmployeeID, to client: AppID, in tenant: TenantID
    ) async throws -> (state: Consent.State, version: Int) {
        let stream = StreamID.consent(employee, to: client, in: tenant)
        let events = try await reader.streams([stream])[stream] ?? []
        return (Consent.fold(try events.map { try EventCodec.decode($0) }), events.version)
    }
}
