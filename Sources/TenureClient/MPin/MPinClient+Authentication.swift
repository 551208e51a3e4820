import Canonical
import Credentials
import Crypto
import Foundation
import MPinCryptography
import TenureAPI

extension MPinClient {
    /// Checks that a user can authenticate. There are no time permits to fetch, so nothing is sent.
    ///
    /// - Returns: `OK`, or `FLOW_ERROR` in another state than `REGISTERED`.
    public func startAuthentication(_ user: MPinUser) async -> MPinStatus {
        await with(user, in: [.registered]) { (_, _) async throws(MPinFailure) in }
    }

    /// Authenticates a registered user with the PIN.
    ///
    /// The right PIN proves the identity to the service and nothing else; ``logIn(_:pin:companyName:companyEmployeeId:)``
    /// opens a session. Requires a secret with ACCESS.
    ///
    /// ```swift
    /// switch await mpin.finishAuthentication(user, pin: entered).status {
    /// case .ok: showHome()
    /// case .incorrectPIN: user.getState() == .blocked ? showBlocked() : askAgain()
    /// case let other: show(other)
    /// }
    /// ```
    ///
    /// - Returns: `OK`; `INCORRECT_PIN`, after too many of which the user is `BLOCKED` and the token erased;
    ///   `PIN_INPUT_CANCELED`; `FLOW_ERROR`; `REVOKED`; `CLIENT_SECRET_EXPIRED`; `REQUEST_EXPIRED`.
    public nonisolated func finishAuthentication(_ user: MPinUser, pin: String) async -> MPinStatus {
        await finishAuthentication(user, entered: Self.entered(pin))
    }

    /// Proves the PIN and returns the authorization code, with which the app's back end asks for the verdict.
    ///
    /// The status says that the proof was sent, not that the PIN is right: only `POST …/authenticate` tells. The code can
    /// be redeemed once, within 60 seconds. The user's state does not change; after the verdict 410 delete the user.
    ///
    /// ```swift
    /// let (mpinStatus, code) = await mpin.finishAuthenticationMFA(user, pin: entered)
    /// if let code { await backEnd.logIn(code) }
    /// ```
    ///
    /// - Returns: As ``finishAuthentication(_:pin:)`` without the statuses of the verdict, and the code if `OK`.
    public nonisolated func finishAuthenticationMFA(
        _ user: MPinUser, pin: String
    ) async -> (status: MPinStatus, authorizationCode: String?) {
        await finishAuthenticationMFA(user, entered: Self.entered(pin))
    }

    private func finishAuthentication(_ user: MPinUser, entered: Result<MPinPIN, MPinFailure>) async -> MPinStatus {
        await with(user, in: [.registered]) { (record, backend) async throws(MPinFailure) in
            try await prove(&record, try entered.get(), user, backend)
        }
    }

    private func finishAuthenticationMFA(
        _ user: MPinUser, entered: Result<MPinPIN, MPinFailure>
    ) async -> (status: MPinStatus, authorizationCode: String?) {
        var code: String?
        let status = await with(user, in: [.registered]) { (record, backend) async throws(MPinFailure) in
            code = try await authorizationCode(record, try entered.get(), backend)
        }
        return (status, code)
    }

    /// Proves the PIN and asks for the verdict.
    func prove(
        _ record: inout MPinRecord, _ pin: MPinPIN, _ user: MPinUser, _ backend: MPinBackend
    ) async throws(MPinFailure) {
        let code = try await authorizationCode(record, pin, backend)
        // The code can be redeemed once, but a repetition under the same key gets the first response.
        let verdict = try await exchange(
            .authenticate, "POST", "/authenticate", at: backend.address, body: ["authOTT": .string(code)],
            isRepeatable: true, Verdict.init)
        guard verdict.mpinId == record.mpinId,
            verdict.identityId == nil || record.identityId == nil || verdict.identityId == record.identityId
        else { throw Self.otherIdentity }
        user.name(verdict.employee)
    }

    /// Goes through both passes and returns the authOTT, behind which the verdict is.
    func authorizationCode(
        _ record: MPinRecord, _ pin: MPinPIN, _ backend: MPinBackend
    ) async throws(MPinFailure) -> String {
        guard let bytes = record.token, let digits = record.pinDigits,
            let token = try? MPinToken(encoded: bytes, digits: digits)
        else { throw MPinFailure.storage }
        guard pin.digits == digits else {
            throw MPinFailure(.incorrectPIN, "The PIN has another number of digits. The service was not asked.")
        }
        let prover = MPinProver(identity: try Self.point(of: record))
        let id = JSONValue.string(record.mpinId)
        let first = try await exchange(
            .pass, "POST", "/rps/pass1", at: backend.address,
            body: ["mpin_id": id, "U": .string(Hex.encode(prover.commitment.encoded)), "pass": 1],
            isRepeatable: true, Pass1.init)
        guard let y = Hex.decodeAnyCase(first.challenge), let challenge = try? MPinChallenge(encoded: y),
            let response = try? prover.respond(to: challenge, token: token, pin: pin)
        else { throw MPinFailure(.responseParseError, "The service's challenge is no number of the group.") }
        let body = JSONValue.objectOmittingNil([
            "mpin_id": id, "V": .string(Hex.encode(response.encoded)), "handle": first.handle.map(JSONValue.string),
            "pass": 2,
        ])
        // The same V gets the same answer.
        return try await exchange(
            .pass, "POST", "/rps/pass2", at: backend.address, body: body, isRepeatable: true
        ) { json in
            var reader = try ObjectReader(json)
            return try reader.string("authOTT")
        }
    }
}

extension MPinClient {
    /// Links a user's identity to the account of an employee, signed with this device's authorized key.
    ///
    /// A linked identity is verified at once: `STARTED_REGISTRATION` becomes `ACTIVATED`. The user id must be the
    /// employee's e-mail address or id.
    ///
    /// The device signs one statement: that this identity, by the SHA-256 of this device's own M-Pin ID, belongs to this
    /// employee of this tenant. If the service asks to sign anything else, nothing is signed.
    ///
    /// ```swift
    /// mpinStatus = await mpin.startRegistration(user)
    /// mpinStatus = await mpin.link(user, session: session)
    /// mpinStatus = await mpin.confirmRegistration(user)
    /// ```
    ///
    /// - Parameters:
    ///   - user: A user in `STARTED_REGISTRATION` or `ACTIVATED`, before its key is made.
    ///   - session: The session of the employee on this device.
    /// - Returns: `OK`; `CRYPTO_ERROR` if the service asks to sign anything else, or this device has no key of the
    ///   employee; `IDENTITY_NOT_AUTHORIZED` if the session has ended or the service refuses the link.
    public func link(_ user: MPinUser, session: EmployeeSession) async -> MPinStatus {
        let states: Set<MPinUser.State> = [.startedRegistration, .activated]
        return await with(user, in: states) { (record, _) async throws(MPinFailure) in
            guard let identity = record.identityId else {
                throw MPinFailure(.flowError, "The service named no identity. Delete the user and register again.")
            }
            do {
                let call = MPinLinkCall(
                    session: session, identity: identity, mpinId: record.mpinIdBytes, regOTT: record.regOTT ?? "")
                user.name(try await call.make())
            } catch { throw MPinFailure(describing: error, of: .link) }
            guard record.state == .startedRegistration else { return }
            record.state = .activated
            try await keep(record, user)
        }
    }
}

/// The link of an identity, as it is sent first without and then with a signature.
private struct MPinLinkCall {
    /// The longest accepted lifetime of a statement: the 15 minutes of the service, plus five minutes by which this
    /// device's clock may be late.
    static let longestLife: Duration = .seconds(900 + 300)

    let session: EmployeeSession
    let identity: UUID
    let mpinId: [UInt8]
    let regOTT: String

    /// Links, and returns the employee that the service names.
    func make() async throws -> EmployeeSummaryResponse? {
        let me = try await session.me()
        var response = try await send(nil)
        if case .signatureRequired(let bytes) = response {
            guard let key = try await session.client.keyStore.key(of: session.account) else {
                throw TenureClientError(.signingRefused)
            }
            let company = try await PinnedCompany(of: session.account, on: session.client)
            guard let statement = try? MPinStatement(parsing: bytes, expecting: MPinStatement.Action.link.tag),
                statement.subject == Array(SHA256.hash(data: mpinId)), statement.identity == identity,
                statement.employee == me.employeeId, statement.context.tenant == me.tenantId,
                company.permits(statement.context, signedBy: key.publicKey),
                statement.context.expires <= Timestamp.now().adding(Self.longestLife)
            else { throw TenureClientError(.signingRefused) }
            let signature = try await key.signature(over: statement)
            response = try await send(StatementSignature(statement: bytes, signature: signature.bytes))
        }
        guard case .done(let employee, _) = response else { throw TenureClientError(.responseInvalid) }
        return employee
    }

    private func send(_ signed: StatementSignature?) async throws -> DecisionResponse {
        let path = ["companyName": session.account.companyName, "identityId": identity.uuidString.lowercased()]
        return try await session.withAuthority { authority in
            try await session.client.call(
                .linkMPin, path, body: MPinLinkRequest(regOTT: regOTT, signed: signed), as: authority)
        }
    }
}

extension MPinClient {
    /// Logs an employee in on this device: the PIN takes the place of answers or passphrase.
    ///
    /// The identity must be linked to the account by this device, and the tenant's policy must let M-Pin open sessions.
    /// This device's key signs the challenge of the log-in. Its authorization, the approval of the account and the link
    /// of the app are checked as in any log-in. Requires a secret with ACCESS.
    ///
    /// ```swift
    /// let (mpinStatus, outcome) = await mpin.logIn(
    ///     user, pin: entered, companyName: "acme.example", companyEmployeeId: "1001")
    /// if case .success(let admission) = outcome { show(admission.session) }
    /// ```
    ///
    /// - Returns: As ``finishAuthentication(_:pin:)``, and the outcome if `OK`. `CRYPTO_ERROR` if the challenge is not
    ///   for this log-in.
    public nonisolated func logIn(
        _ user: MPinUser, pin: String, companyName: String, companyEmployeeId: String
    ) async -> (status: MPinStatus, outcome: FlowOutcome?) {
        await logIn(user, Self.entered(pin), companyName, companyEmployeeId)
    }

    private func logIn(
        _ user: MPinUser, _ entered: Result<MPinPIN, MPinFailure>, _ company: String, _ employee: String
    ) async -> (status: MPinStatus, outcome: FlowOutcome?) {
        var outcome: FlowOutcome?
        let status = await with(user, in: [.registered]) { (record, backend) async throws(MPinFailure) in
            let pin = try entered.get()
            let flow: MPinLogInFlow
            do { flow = try await MPinLogInFlow(company, employee, tenure) } catch {
                throw MPinFailure(describing: error, of: .logIn)
            }
            let code = try await authorizationCode(record, pin, backend)
            do { outcome = try await flow.submit(code) } catch { throw MPinFailure(describing: error, of: .logIn) }
        }
        return (status, outcome)
    }
}

/// A log-in whose device key is proved: the key has signed the challenge, which names this flow, account and app.
private struct MPinLogInFlow {
    static let endpoint = Endpoint(
        "POST", "/v1/logins/{flow}/mpin", .app, "Complete a login by the proof of a PIN")

    private let context: FlowContext

    init(_ company: String, _ employee: String, _ client: TenureClient) async throws {
        let account = client.account(companyName: company, companyEmployeeId: employee)
        let key = try await client.keyStore.keyOrNew(of: account)
        let flow = try await client.startLogin(company: company, employee: employee, key: key)
        let asked = try await client.proveKey(flow, key: key)
        context = FlowContext(client: client, account: account, key: key, flow: flow, asked: asked)
    }

    func submit(_ authOTT: String) async throws -> FlowOutcome {
        let response: FlowOutcomeResponse = try await context.client.call(
            Self.endpoint, ["flow": context.flow.handle], body: MPinRedemption(authOTT: authOTT))
        return try await context.outcome(of: response)
    }
}

private struct MPinRedemption: JSONConvertible {
    let authOTT: String

    init(authOTT: String) { self.authOTT = authOTT }

    init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        authOTT = try reader.string("authOTT")
        try reader.finish()
    }

    var json: JSONValue { ["authOTT": .string(authOTT)] }
}
