import Canonical
import Credentials
import TenureAPI

extension TenureClient {
    /// Asks for the return of a security admin with this device, or completes it. Creates the key if there is none.
    ///
    /// Requires a secret with ACCESS. The step asks for the credential, as a log-in does. Its outcome is
    /// `authorizationPending` for a request: the service has sent a mail to the verified address, and the link in it
    /// begins the waiting time of at least 48 hours. Call this method on the same device afterwards: the outcome
    /// then is `success`, this device has the role, and all other sessions have ended.
    ///
    /// ```swift
    /// if case .validatePassphrase(let step) = try await client.returnAsSecurityAdmin(
    ///     companyName: "acme.example", companyEmployeeId: "1001")
    /// {
    ///     let outcome = try await step.submit(passphrase)
    /// }
    /// ```
    ///
    /// - Throws: ``TenureClientError``. The step throws `return.not_permitted` if the account has no such way back,
    ///   `return.in_progress` if another device has one open, and `return.not_available`, with the time in
    ///   ``TenureClientError/problem``, before the waiting time is over.
    public func returnAsSecurityAdmin(companyName: String, companyEmployeeId: String) async throws -> LoginStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        let key = try await keyStore.keyOrNew(of: account)
        let flow = try await startReturn(company: companyName, employee: companyEmployeeId, key: key)
        let response = try await proveKey(flow, key: key)
        let (open, changed) = try await open(
            FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
        return try LoginStep(response, open, changed)
    }

    /// Starts the return of a security admin. Requires a secret with ACCESS.
    ///
    /// Call ``proveKey(_:key:)`` next, then prove the credential as in a log-in.
    ///
    /// - Throws: ``TenureClientError``.
    public func startReturn(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startReturn, body: request, FlowStartedResponse.self)
        return Flow(.return, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Cancels a return of the account with this device's key, or undoes it within 30 days, without a log-in.
    ///
    /// The key must have been authorized at some time within the 30 days before the return was opened, even if others
    /// have revoked it since. The device signs the cancellation and nothing else.
    ///
    /// - Returns: The position in the tenant's ledger.
    /// - Throws: ``TenureClientError``: `return.unknown` if there is no return that this device may cancel or undo.
    ///   ``TenureClientError/Code/signingRefused`` if this device has no key, or the service asks to sign anything
    ///   else.
    public func cancelReturn(companyName: String, companyEmployeeId: String) async throws -> Int64? {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        guard let key = try await keyStore.key(of: account) else { throw TenureClientError(.signingRefused) }
        let flow = try await startLogin(company: companyName, employee: companyEmployeeId, key: key)
        _ = try await proveKey(flow, key: key)
        let path = ["flow": flow.handle]
        let first = try await call(.cancelReturnByDevice, path, body: DecisionRequest(), DecisionResponse.self)
        switch first {
        case .done(_, let position): return position
        case .signatureRequired(let bytes):
            let company = try await PinnedCompany(of: account, on: self)
            guard let statement = try? ReturnStatement(parsing: bytes, expecting: .returnCancellation),
                statement.reason == "owner", statement.keyHash != Hex.decode(key.publicKey.fingerprint),
                company.permits(statement.context, signedBy: key.publicKey)
            else { throw TenureClientError(.signingRefused) }
            let signature = try await key.signature(over: statement)
            let signed = StatementSignature(statement: bytes, signature: signature.bytes)
            guard
                case .done(_, let position) = try await call(
                    .cancelReturnByDevice, path, body: DecisionRequest(signed: signed), DecisionResponse.self)
            else { throw TenureClientError(.responseInvalid) }
            return position
        }
    }
}
