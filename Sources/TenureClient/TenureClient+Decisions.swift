public import Credentials
public import TenureAPI

extension TenureClient {
    /// Authorizes, refuses or revokes an employee key.
    ///
    /// Where the service asks for a signature, `signer` gives it, and only over a statement about this very key and
    /// action, and for the company that this device has pinned. An app that vouches itself needs no signer.
    ///
    /// - Parameters:
    ///   - action: What is decided.
    ///   - key: The key that is decided upon, as its owner showed it.
    ///   - employee: The name that the key's owner has in the company.
    ///   - company: The company.
    ///   - reason: A code `[a-z0-9_.-]{1,64}`; refusals and revocations need one.
    ///   - authority: Who decides.
    ///   - signer: The admin's key on this device; `nil` where nothing is to be signed.
    ///   - approver: The employee whose key the signer is. What this device has pinned for them names the company, and so
    ///     does what it has pinned for whoever owns the key.
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
    public func approve(
        _ employee: String, of company: String, note: String? = nil, as authority: Authority
    ) async throws -> DecisionResponse {
        try await decideStatus(.approveEmployee, employee, company, note, authority)
    }

    /// Cancels an employee.
    public func cancel(
        _ employee: String, of company: String, note: String? = nil, as authority: Authority
    ) async throws -> DecisionResponse {
        try await decideStatus(.cancelEmployee, employee, company, note, authority)
    }

    /// Takes a cancelled employee back.
    public func reinstate(
        _ employee: String, of company: String, note: String? = nil, as authority: Authority
    ) async throws -> DecisionResponse {
        try await decideStatus(.reinstateEmployee, employee, company, note, authority)
    }

    private func decideStatus(
        _ endpoint: Endpoint, _ employee: String, _ company: String, _ note: String?, _ authority: Authority
    ) async throws -> DecisionResponse {
        try await call(
            endpoint, ["companyName": company, "companyEmployeeId": employee],
            body: StatusDecisionRequest(note: note), as: authority)
    }

    /// Reclaims a company-owned e-mail.
    public func reclaim(
        email: String, reason: String, of company: String, as authority: Authority
    ) async throws -> DecisionResponse {
        try await call(
            .reclaimEmail, ["companyName": company], body: EmailReclaimRequest(email: email, reason: reason),
            as: authority)
    }
}
