import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
package import TenureAPI

/// Cancels a recovery by a statement of the user's device key, without a log-in. The key may have been revoked.
///
/// It is a step of a log-in flow whose key is proved, so a name and a public key alone do not reveal whether a recovery
/// is open. A decoy, a user without a recovery and a key that may not cancel get the same error.
package struct CancelRecoveryByDevice: AppUseCase {
    /// The handle of a log-in flow whose device key is proved.
    package let flow: String
    /// The statement and the device key's signature over it, in the second call.
    package let signed: StatementSignature?
    package let app: AppCaller

    package init(flow: String, signed: StatementSignature? = nil, app: AppCaller) {
        self.flow = flow
        self.signed = signed
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.login) }

    /// Cancels the recovery, or returns the statement to sign.
    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context, time = run.call.time
        let row = try await FlowStore(context: context).load(handle: flow, purpose: .login, app: app, at: time)
        guard row.state.proved != nil else { throw ServiceError(.flowWrongStep) }
        return try await run.decide(signed) {
            // For a decoy a colleague's streams are read in the same way.
            let read = try await FlowScene.load(.tenant, for: row.state, context), user = read.user
            guard !row.state.isDecoy, let tenant = read.tenant,
                let recovery = user.state.openRecovery(at: time), recovery.tenant == tenant.id,
                recovery.employee.uuid == row.state.employeeId,
                let scene = try await scene(row.state, recovery, tenant, user, context)
            else { throw ServiceError(.recoveryUnknown) }
            return try cancellation(scene, summary: try await context.summary(of: scene.employee, in: tenant), run)
        }
    }

    private struct Scene {
        var access: CompanyAccess
        var employee: EmployeeSnapshot
        var account: User.RecoveryAccount
        var user: UserSnapshot
        var recovery: User.Recovery
    }

    /// The facts for a key that may cancel; `nil` for any other key.
    private func scene(
        _ state: FlowState, _ recovery: User.Recovery, _ tenant: TenantSnapshot, _ user: UserSnapshot,
        _ context: ServiceContext
    ) async throws -> Scene? {
        let employee = try await StateLoader(reader: context.reader).employee(recovery.employee, in: tenant.id)
        let signer = try state.deviceKey
        guard let holder = employee.state.account, holder.user == user.id,
            let key = employee.state.keys[signer], key.status == .authorized || recovery.mayObject(key, of: holder),
            let caller = DecidingEmployee(employee.state, in: tenant.state, secretProved: false)
        else { return nil }
        let access = CompanyAccess(
            tenant: tenant, name: try parsed { () throws(ValueError) in try CompanyName(state.companyName) },
            decider: .employee(caller), guarded: (.employee(employee.id, in: tenant.id), employee.version),
            authority: key.authorized.flatMap { employee.leaves[$0.position] }, signer: signer,
            passkey: key.passkey?.facts.identity)
        // A cancellation does not depend on the reach.
        let reach = User.RecoveryReach(hasAccountsElsewhere: false, ownsAddress: false)
        let account = User.RecoveryAccount(
            target: recovery.target, state: employee.state, role: tenant.state.role(of: employee.id), reach: reach)
        return Scene(access: access, employee: employee, account: account, user: user, recovery: recovery)
    }

    private func cancellation(
        _ scene: Scene, summary: EmployeeSummaryResponse, _ run: UseCaseRun<DecisionResponse>
    ) throws -> SignedDecision<UserEvent, DecisionResponse> {
        let reason = try reasonCode("owner")
        guard let opened = scene.user.leaves[scene.recovery.opened.position] else {
            throw ServiceError(.recoveryUnknown)
        }
        return SignedDecision(
            access: scene.access,
            decide: { decision in
                try User.decided(
                    scene.user.state,
                    .cancelRecovery(
                        User.CancelRecovery(
                            account: scene.account, reason: reason, decision: decision, time: run.call.time)))
            },
            statement: { facts in
                try facts.recovery(
                    .cancel, of: scene.user.id, scene.employee.id, on: scene.recovery.fingerprint, follows: opened,
                    seconds: nil, reason: reason.text)
            },
            record: { recorder, events, _ in
                try recorder.add(events, of: scene.user, about: scene.recovery.target)
                return try await recorder.append(summary)
            })
    }
}
