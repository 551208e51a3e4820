import Canonical
import ErrorCodes
import EventCoding
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Tells an app, once, whether a proof was right and whose it was.
package struct RedeemMPinProof: AppUseCase {
    package let company: String
    /// The token of pass 2.
    package let token: String
    /// The calling app, which must be the one that made the passes.
    package let app: AppCaller

    package init(company: String, token: String, app: AppCaller) {
        self.company = company
        self.token = token
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.login) }

    /// Redeems the token.
    ///
    /// - Throws: `mpin.request_expired`, `mpin.wrong_pin`, `mpin.blocked`, and what else the verdict was refused for.
    package func run(_ run: UseCaseRun<MPinAuthenticationResponse>) async throws -> MPinAuthenticationResponse {
        let company = try await run.context.mpin(self.company, app, role: .access)
        let passes = MPinPasses(context: run.context, tenant: company.tenant, app: app)
        let (pass, verdict) = try await passes.verdict(of: token, at: run.call.time)
        let outcome: Result<MPinAuthenticationResponse, ServiceError>
        switch verdict {
        case .right: outcome = try await authenticated(pass, company, run)
        case .refused(let code): outcome = .failure(ServiceError(code))
        }
        try await redeem(pass, outcome, passes, run)
        return try outcome.get()
    }

    /// The identity as it is now: one that ended after its proof authenticates nobody.
    private func authenticated(
        _ pass: MPinPass, _ company: MPinCompany, _ run: UseCaseRun<MPinAuthenticationResponse>
    ) async throws -> Result<MPinAuthenticationResponse, ServiceError> {
        let context = run.context, tenant = company.tenant
        guard let sealed = pass.sealedID, let bytes = context.ring.openMPin(sealed, at: MPinPass.place(pass.id)),
            let mpinID = try? MPinID(text: Hex.encode(bytes)),
            let found = try await context.mpinIdentity(named: mpinID, in: tenant)
        else { return .failure(ServiceError(.mpinRequestExpired)) }
        let identity = try await context.mpinIdentity(found.id, in: tenant, readsUserID: true)
        switch identity.state.status(at: run.call.time) {
        case .registered: break
        case .blocked: return .failure(ServiceError(.mpinBlocked))
        default: return .failure(ServiceError(.mpinEnded))
        }
        guard let userID = identity.state.registration?.userID.text else { return .failure(ServiceError(.mpinEnded)) }
        var answer = MPinAuthenticationResponse(
            userId: userID, foldedUserId: (try? MPinUserID(userID))?.folded ?? userID, mpinId: mpinID.text,
            identityId: identity.id.uuid,
            verifiedBy: identity.state.verifiedBy?.rawValue ?? "")
        if let linked = try await context.linkedEmployee(of: identity, in: tenant) {
            guard context.linkedStatus(linked, of: identity) == .active else {
                return .failure(ServiceError(.employeeInactive))
            }
            answer.employee = try await context.summary(of: linked, in: company.access.tenant)
        }
        return .success(answer)
    }

    private func redeem(
        _ pass: MPinPass, _ outcome: Result<MPinAuthenticationResponse, ServiceError>, _ passes: MPinPasses,
        _ run: UseCaseRun<MPinAuthenticationResponse>
    ) async throws {
        let redeeming = passes.redeeming(pass), ledger = LedgerID(passes.tenant.uuid)
        let rows: [[PostgresRow]]
        if let ticket = run.ticket {
            rows = try await run.context.pool.pipeline(
                [ticket.completion(outcome, after: redeeming)], in: [ledger, ticket.ledger])
        } else {
            rows = try await run.context.pool.pipeline([redeeming], in: [ledger])
        }
        guard rows.first?.count == 1 else { throw ServiceError(.mpinRequestExpired) }
        run.ticket?.markStored()
    }
}

/// Completes a log-in by the proof of a PIN, in the place of answers or a passphrase.
///
/// The tenant's policy must permit it, and the identity must be linked to the flow's employee and to the device that
/// signed the flow's challenge. The device's state, the account's approval and the app's link are checked as in every
/// log-in.
package struct LogInByMPin: AppUseCase {
    /// The token of pass 2.
    package let token: String
    package let flow: String
    /// The calling app, which must be the one that made the passes.
    package let app: AppCaller

    package init(token: String, flow: String, app: AppCaller) {
        self.token = token
        self.flow = flow
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.login) }

    package func firstReads(in context: ServiceContext) -> PipelinedReads? { FlowStore.reading(flow) }

    /// Completes the log-in.
    ///
    /// - Throws: `mpin.request_expired`, the refusal of a wrong proof, or `authorization.not_permitted` for an identity
    ///   that opens no session here.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context, time = run.call.time
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: .login, app: app, at: time, run.firstRows)
        let state = row.state
        guard state.step == .answers || state.step == .passphrase, let proved = state.proved,
            let signature = SignatureBytes(proved.signature)
        else { throw ServiceError(.flowWrongStep) }
        let passes = MPinPasses(context: context, tenant: TenantID(state.tenantId), app: app)
        let (pass, verdict) = try await passes.verdict(of: token, at: time)
        if case .refused(let code) = verdict { throw ServiceError(code) }
        // A decoy's random ids match no link, so known and unknown names take the same steps to the same refusal.
        guard try await passes.isLinked(pass, to: state), !state.isDecoy else {
            throw ServiceError(Denial.pinOpensNoSession)
        }
        let scene = try await FlowScene.load(.proof, for: state, context)
        let proof = MPinLoginProof(
            token: token, pass: pass, passes: passes,
            event: MPinValidated(challenge: proved.challenge, deviceSignature: signature))
        return try await CompleteLogin(context: context).run(row, proof: .mpin(proof), scene, app: app, run)
    }
}

/// A right proof of a PIN that completes a log-in.
struct MPinLoginProof: PINProof {
    let token: String
    let pass: MPinPass
    let passes: MPinPasses
    let event: MPinValidated

    func add(to recorder: inout FlowRecorder, in tenant: TenantSnapshot) async throws {
        let context = recorder.context, state = recorder.row.state, time = recorder.call.time
        _ = try await passes.verdict(of: token, at: time)
        let policy = tenant.state.mpinPolicy
        guard policy.enabled, policy.opensSessions, context.mpin.keys != nil, let sealed = pass.sealedID,
            let bytes = context.ring.openMPin(sealed, at: MPinPass.place(pass.id)),
            let identity = try await context.mpinIdentity(named: MPinID(text: Hex.encode(bytes)), in: tenant.id),
            identity.state.status(at: time) == .registered, let link = identity.state.link,
            link.employee == EmployeeID(state.employeeId), link.fingerprint == (try state.fingerprint)
        else { throw ServiceError(Denial.pinOpensNoSession) }
        recorder.expectations[.mpin(identity.id, in: tenant.id)] = identity.version
        let redeeming = passes.redeeming(pass)
        recorder.statements.append(
            "WITH redeemed AS (\(redeeming)) SELECT tenure.require(count(*) = 1) FROM redeemed")
    }
}
