import Canonical
public import Credentials
public import TenureAPI

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TenureClient {
    /// Authorizes, refuses or revokes a device key.
    ///
    /// If the service asks for a signature, `signer` signs the statement. It signs only a statement about this key and
    /// action, and for the tenant that this device has pinned. An app that vouches for the key itself needs no signer.
    ///
    /// - Parameters:
    ///   - action: The decision.
    ///   - key: The device key to decide about, as its owner showed it.
    ///   - employee: The id of the key's owner in the tenant.
    ///   - company: The tenant.
    ///   - reason: A code `[a-z0-9_.-]{1,64}`. Required for refusals and revocations.
    ///   - authority: The authority that the call uses.
    ///   - signer: The admin's device key on this device; `nil` if no signature is needed.
    ///   - approver: The id of the employee who owns the signer. The statement must be for the tenant that this device
    ///     has pinned for them, and for the key's owner.
    /// - Returns: The decision, or the statement to sign if `signer` is `nil`.
    /// - Throws: ``TenureClientError``, for example `authorization.unknown_key` or `authorization.not_permitted`.
    ///   ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    public func decide(
        _ action: KeyStatement.Action, key: EmployeePublicKey, employee: String, of company: String,
        reason: String? = nil, as authority: Authority = .app, signer: (any DeviceKey)? = nil,
        approver: String? = nil
    ) async throws -> DecisionResponse {
        let endpoint: Endpoint =
            switch action {
            case .authorize: .authorizeKey
            case .refuse: .refuseKey
            case .revoke: .revokeKey
            }
        let values = ["companyName": company, "companyEmployeeId": employee, "fingerprint": key.fingerprint]
        let first = try await call(
            endpoint, values, body: DecisionRequest(reason: reason), as: authority, DecisionResponse.self)
        guard case .signatureRequired(let bytes) = first, let signer else { return first }
        guard let statement = try? KeyStatement(parsing: bytes, expecting: action.tag), statement.employeeKey == key,
            reason == nil || statement.reason == reason
        else { throw TenureClientError(.signingRefused) }
        for name in Set([approver ?? employee, employee]) {
            let pinned = try await PinnedCompany(
                of: account(companyName: company, companyEmployeeId: name), on: self)
            guard pinned.permits(statement.context, signedBy: signer.publicKey) else {
                throw TenureClientError(.signingRefused)
            }
        }
        let signature = try await signer.signature(over: statement)
        let signed = StatementSignature(statement: bytes, signature: signature.bytes)
        return try await call(endpoint, values, body: DecisionRequest(reason: reason, signed: signed), as: authority)
    }

    /// Approves an employee.
    ///
    /// - Throws: ``TenureClientError``, for example `employee.unknown` or `authorization.not_permitted`.
    public func approve(
        _ employee: String, of company: String, as authority: Authority
    ) async throws -> DecisionResponse {
        try await decideStatus(.approveEmployee, employee, company, nil, authority)
    }

    /// Cancels an employee.
    ///
    /// - Throws: ``TenureClientError``, for example `employee.unknown` or `authorization.not_permitted`.
    public func cancel(
        _ employee: String, of company: String, note: String? = nil, as authority: Authority
    ) async throws -> DecisionResponse {
        try await decideStatus(.cancelEmployee, employee, company, note, authority)
    }

    /// Reinstates a cancelled employee.
    ///
    /// - Throws: ``TenureClientError``, for example `employee.unknown` or `authorization.not_permitted`.
    public func reinstate(
        _ employee: String, of company: String, as authority: Authority
    ) async throws -> DecisionResponse {
        try await decideStatus(.reinstateEmployee, employee, company, nil, authority)
    }

    private func decideStatus(
        _ endpoint: Endpoint, _ employee: String, _ company: String, _ note: String?, _ authority: Authority
    ) async throws -> DecisionResponse {
        try await call(
            endpoint, ["companyName": company, "companyEmployeeId": employee],
            body: StatusDecisionRequest(note: note), as: authority)
    }

    /// Reclaims an e-mail address in the tenant's confirmed domain.
    ///
    /// - Throws: ``TenureClientError``, for example `email.not_reclaimable` or `authorization.not_permitted`.
    public func reclaim(
        email: String, reason: String, of company: String, as authority: Authority
    ) async throws -> DecisionResponse {
        try await call(
            .reclaimEmail, ["companyName": company], body: EmailReclaimRequest(email: email, reason: reason),
            as: authority)
    }
}

extension EmployeeSession {
    /// Approves, cancels or reinstates an employee of this employee's tenant, or ends all of the employee's sessions.
    ///
    /// This device's key signs the decision. It signs only a statement about this employee and this action. The key
    /// must carry the role of an admin. Only the security admin decides about an admin.
    ///
    /// ```swift
    /// let position = try await session.decide(.approve, about: "1042")
    /// ```
    ///
    /// - Parameters:
    ///   - action: The decision.
    ///   - companyEmployeeId: The id of the employee to decide about.
    ///   - note: A note for the log, at most 1,024 bytes. It is encrypted with the employee's key. Only a cancellation
    ///     takes one; the service refuses it with other decisions.
    /// - Returns: The position in the tenant's ledger; `nil` if the decision had been made before.
    /// - Throws: ``TenureClientError``: `authorization.not_permitted`, `employee.unknown`, `employee.inactive`, or
    ///   `request.stale` if the tenant changed in the meantime. ``TenureClientError/Code/signingRefused`` if the
    ///   service asks to sign anything else.
    @discardableResult
    public func decide(
        _ action: EmployeeStatement.Action, about companyEmployeeId: String, note: String? = nil
    ) async throws -> Int64? {
        let path = ["companyName": account.companyName, "companyEmployeeId": companyEmployeeId]
        let employee = try await registeredId(of: companyEmployeeId)
        return try await sign(
            action.endpoint, path, StatusDecisionRequest(note: note),
            { StatusDecisionRequest(note: note, signed: $0) },
            EmployeeStatement.self, action.tag
        ) { $0.employee == employee }
    }

    /// Reclaims an e-mail address in a confirmed domain of this employee's tenant from its current user.
    ///
    /// The user's account in this tenant is cancelled. In other tenants the user loses only the address. This device's
    /// key signs the decision.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - reason: The reason for the log, in words.
    /// - Returns: The position in the tenant's ledger.
    /// - Throws: ``TenureClientError``: `email.not_reclaimable`, `authorization.not_permitted`, `request.stale`.
    ///   ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    @discardableResult
    public func reclaim(email: String, reason: String) async throws -> Int64? {
        try await sign(
            .reclaimEmail, ["companyName": account.companyName], EmailReclaimRequest(email: email, reason: reason),
            { EmailReclaimRequest(email: email, reason: reason, signed: $0) },
            ReclaimStatement.self, .emailReclaim
        ) { _ in true }
    }

    /// Authorizes another device of this employee from this device ("approve on your other device").
    ///
    /// Compare the fingerprint with the one that the other device shows. ``devices()`` lists the pending keys with time
    /// and app.
    ///
    /// - Parameter fingerprint: The fingerprint that the other device shows. Spaces are ignored.
    /// - Returns: The position in the tenant's ledger; `nil` if the key had been authorized before.
    /// - Throws: ``TenureClientError``: `authorization.unknown_key` if no such key is pending,
    ///   `authorization.not_permitted` if the tenant's policy requires an admin.
    ///   ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    @discardableResult
    public func authorizeDevice(fingerprint: String) async throws -> Int64? {
        let wanted = fingerprint.filter { !$0.isWhitespace }.lowercased()
        let path = [
            "companyName": account.companyName, "companyEmployeeId": account.companyEmployeeId, "fingerprint": wanted,
        ]
        return try await sign(
            .authorizeKey, path, DecisionRequest(), { DecisionRequest(signed: $0) }, KeyStatement.self,
            .keyAuthorization
        ) { $0.employeeKey.fingerprint == wanted }
    }

    /// Reads the policy of this employee's tenant, for admins.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func policy() async throws -> PolicyResponse {
        try await withAuthority { try await client.policy(of: account.companyName, as: $0) }
    }

    /// Changes the policy of this employee's tenant: the security admin, within ten minutes after a log-in.
    ///
    /// This device's key signs the whole new policy. It signs only the policy that the service read out with this change,
    /// and the service refuses the change if another one came first.
    ///
    /// ```swift
    /// try await session.changePolicy(PolicyChangeRequest(logIn: .passkeyOrSecret, clonedKey: .stop))
    /// ```
    ///
    /// - Parameter change: The new values. A member that is absent keeps its value.
    /// - Returns: The position in the tenant's ledger; `nil` if the policy has these values already.
    /// - Throws: ``TenureClientError``: `authorization.not_permitted`, `session.login_required`, `request.stale`,
    ///   `policy.secretless_people`, or `policy.passkey_required` for a change that only a passkey may sign.
    ///   ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    @discardableResult
    public func changePolicy(_ change: PolicyChangeRequest) async throws -> Int64? {
        let policy = try await policy()
        let wanted = policy.settings(with: change)
        return try await sign(
            .changePolicy, ["companyName": account.companyName], change,
            { signed in
                var request = change
                request.signed = signed
                return request
            }, PolicyStatement.self, .policy, headers: ["If-Match": "\"\(policy.version)\""]
        ) { $0.settings == wanted }
    }

    /// Sends a decision. If the service returns the expected statement, signs it and repeats the call with the
    /// signature.
    private func sign<S: Statement>(
        _ endpoint: Endpoint, _ path: [String: String], _ first: some JSONConvertible & Sendable,
        _ second: (StatementSignature) -> some JSONConvertible & Sendable, _ kind: S.Type, _ tag: SignatureTag,
        headers: [String: String] = [:], _ isWanted: (S) -> Bool
    ) async throws -> Int64? {
        var response = try await withAuthority { authority in
            try await client.call(endpoint, path, body: first, headers: headers, as: authority, DecisionResponse.self)
        }
        if case .signatureRequired(let bytes) = response {
            let own = try await client.keyStore.key(of: account)
            let company = try await PinnedCompany(of: account, on: client)
            guard let own, let statement = try? S(parsing: bytes, expecting: tag), isWanted(statement),
                company.permits(statement.context, signedBy: own.publicKey)
            else { throw TenureClientError(.signingRefused) }
            let signature = try await own.signature(over: statement)
            let body = second(StatementSignature(statement: bytes, signature: signature.bytes))
            response = try await withAuthority { authority in
                try await client.call(
                    endpoint, path, body: body, headers: headers, as: authority, DecisionResponse.self)
            }
        }
        guard case .done(_, let position) = response else { throw TenureClientError(.responseInvalid) }
        return position
    }
}

extension PolicyResponse {
    /// The settings of the policy after a change, as a statement names them.
    fileprivate func settings(with change: PolicyChangeRequest) -> [String: PolicyStatement.Setting] {
        guard case .object(var values) = json, case .object(let changes) = change.json else { return [:] }
        values.merge(changes) { _, new in new }
        for name in ["adminsWithoutPasskey", "version", "signed"] { values[name] = nil }
        return values.compactMapValues { value in
            switch value {
            case .string(let text): .code(text)
            case .bool(let flag): .flag(flag)
            case .integer(let number): .number(number)
            default: nil
            }
        }
    }
}

extension EmployeeStatement.Action {
    fileprivate var endpoint: Endpoint {
        switch self {
        case .approve: .approveEmployee
        case .cancel: .cancelEmployee
        case .reinstate: .reinstateEmployee
        case .endSessions: .endEmployeeSessions
        }
    }
}

extension TenureClient {
    private func waiting(_ position: Int64?) -> [String: String] {
        position.map { [HeaderName.waitFor: String($0)] } ?? [:]
    }

    private func cursor(_ after: Int64?, _ limit: Int?) -> [(String, String)] {
        [("after", after.map { String($0) }), ("limit", limit.map { String($0) })].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    /// Reads a tenant. With `waitFor`, waits until the read model has reached that position, for example that of a
    /// decision.
    ///
    /// - Throws: ``TenureClientError``, for example `company.unknown` or `app.not_linked`.
    public func company(
        _ name: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> CompanyResponse {
        try await call(.readCompany, ["companyName": name], headers: waiting(waitFor), as: authority)
    }

    /// Lists one page of the tenants that the app is linked to. `after` is the `next` of the previous page.
    ///
    /// - Throws: ``TenureClientError``, for example `app.role_missing`.
    public func companies(
        after: Int64? = nil, limit: Int? = nil
    ) async throws -> PageResponse<LinkedCompanyResponse> {
        try await call(.listCompanies, [:], query: cursor(after, limit), as: .app)
    }

    /// Finds an employee by the permanent id, which access tokens name as `sub`; `nil` if the tenant has none.
    ///
    /// ```swift
    /// let caller = try await verifier.verify(authorization: request.headers[.authorization])
    /// let person = try await tenure.employee(id: caller.subject, of: "acme.example")
    /// ```
    ///
    /// - Throws: ``TenureClientError``, for example `company.unknown`.
    public func employee(
        id: UUID, of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> EmployeeResponse? {
        try await employees(matching: ("employeeId", id.uuidString.lowercased()), of: company, authority, waitFor).first
    }

    /// Finds the employees of the person who holds an address; none if the tenant has none.
    ///
    /// - Throws: ``TenureClientError``, for example `email.invalid`.
    public func employees(
        email: String, of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> [EmployeeResponse] {
        try await employees(matching: ("email", email), of: company, authority, waitFor)
    }

    private func employees(
        matching choice: (String, String), of company: String, _ authority: Authority, _ waitFor: Int64?
    ) async throws -> [EmployeeResponse] {
        let page: PageResponse<EmployeeResponse> = try await call(
            .listEmployees, ["companyName": company], query: [choice], headers: waiting(waitFor), as: authority)
        return page.items
    }

    /// Lists one page of a tenant's employees, oldest first. `after` is the `next` of the previous page.
    ///
    /// - Throws: ``TenureClientError``, for example `company.unknown` or `authorization.not_permitted`.
    public func employees(
        of company: String, after: Int64? = nil, limit: Int? = nil, as authority: Authority = .app,
        waitFor: Int64? = nil
    ) async throws -> PageResponse<EmployeeResponse> {
        try await call(
            .listEmployees, ["companyName": company], query: cursor(after, limit), headers: waiting(waitFor),
            as: authority)
    }

    /// Reads one employee with their device keys.
    ///
    /// - Throws: ``TenureClientError``, for example `employee.unknown`.
    public func employee(
        _ companyEmployeeId: String, of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> EmployeeResponse {
        try await call(
            .readEmployee, ["companyName": company, "companyEmployeeId": companyEmployeeId],
            headers: waiting(waitFor), as: authority)
    }

    /// Reads the security admin and the event that proves the role.
    ///
    /// - Throws: ``TenureClientError``, for example `company.unknown`.
    public func securityAdmin(
        of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> SecurityAdminResponse {
        try await call(.readSecurityAdmin, ["companyName": company], headers: waiting(waitFor), as: authority)
    }

    /// Lists one page of the tenant's pending device keys.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func pendingAuthorizations(
        of company: String, after: Int64? = nil, limit: Int? = nil, as authority: Authority = .app,
        waitFor: Int64? = nil
    ) async throws -> PageResponse<PendingAuthorizationResponse> {
        try await call(
            .listAuthorizations, ["companyName": company], query: cursor(after, limit), headers: waiting(waitFor),
            as: authority)
    }

    /// Lists one page of the tenant's events. The type `AttemptCharged` with an employee lists the newest failed
    /// attempts at that employee.
    ///
    /// - Throws: ``TenureClientError``, for example `session.login_required` for an admin who logged in more than ten
    ///   minutes ago and names no employee.
    public func events(
        of company: String, after: Int64? = nil, limit: Int? = nil, type: String? = nil, employee: String? = nil,
        as authority: Authority = .app
    ) async throws -> PageResponse<EventResponse> {
        var query = cursor(after, limit)
        if let type { query.append(("type", type)) }
        if let employee { query.append(("employee", employee)) }
        return try await call(.listEvents, ["companyName": company], query: query, as: authority)
    }

    /// Reads the tenant's policy with the authority of an employee.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func policy(of company: String, as authority: Authority) async throws -> PolicyResponse {
        try await call(.readPolicy, ["companyName": company], as: authority)
    }
}
