import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
package import TenureAPI

/// Cancels a return, or undoes it within 30 days, by a statement of a former device key of the security admin.
///
/// It needs no log-in, and the key may have been revoked. It is a step of a log-in flow whose key is proved, so a name
/// and a public key alone do not reveal whether a return is open. A decoy, an account without a return and a key that
/// may not cancel get the same error.
package struct CancelReturnByDevice: AppUseCase {
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

    /// Cancels the return, or returns the statement to sign.
    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context, time = run.call.time
        let row = try await FlowStore(context: context).load(handle: flow, purpose: .login, app: app, at: time)
        guard row.state.proved != nil else { throw ServiceError(.flowWrongStep) }
        return try await run.decide(signed) {
            // For a decoy a colleague's streams are read in the same way.
            let read = try await FlowScene.load(.tenant, for: row.state, context)
            guard let tenant = read.tenant else { throw ServiceError(.returnUnknown) }
            let employee = try await StateLoader(reader: context.reader).employee(
                EmployeeID(row.state.account?.standIn?.employeeId ?? row.state.employeeId), in: tenant.id)
            guard !row.state.isDecoy, let scene = try scene(row.state, employee, tenant, at: time) else {
                throw ServiceError(.returnUnknown)
            }
            return try cancellation(scene, run)
        }
    }

    private struct Scene {
        var access: CompanyAccess
        var employee: EmployeeSnapshot
        var account: Employee.Account
        var back: Employee.Return
    }

    /// The facts for a key that may cancel; `nil` for any other key.
    private func scene(
        _ state: FlowState, _ employee: EmployeeSnapshot, _ tenant: TenantSnapshot, at time: Timestamp
    ) throws -> Scene? {
        let signer = try state.deviceKey
        guard let account = employee.state.account, account.user.uuid == state.userId,
            let back = employee.state.openReturn(in: tenant.state, at: time)
                ?? employee.state.undoableReturn(in: tenant.state, at: time),
            let key = employee.state.keys[signer], back.mayObject(key, of: account.id),
            let caller = DecidingEmployee(employee.state, in: tenant.state, secretProved: false)
        else { return nil }
        let access = CompanyAccess(
            tenant: tenant, name: try parsed { () throws(ValueError) in try CompanyName(state.companyName) },
            decider: .employee(caller), guarded: (.employee(employee.id, in: tenant.id), employee.version),
            authority: key.authorized.flatMap { employee.leaves[$0.position] }, signer: signer,
            passkey: key.passkey?.facts.identity)
        return Scene(access: access, employee: employee, account: account, back: back)
    }

    private func cancellation(
        _ scene: Scene, _ run: UseCaseRun<DecisionResponse>
    ) throws -> SignedDecision<EmployeeEvent, DecisionResponse> {
        let time = run.call.time, employee = scene.employee, tenant = scene.access.tenant
        let reason = try reasonCode("owner")
        guard employee.leaves[scene.back.latest.position] != nil else { throw ServiceError(.returnUnknown) }
        return SignedDecision(
            access: scene.access, leaves: employee.leaves, latest: scene.back.latest.position,
            decide: { decision in
                try Employee.decided(
                    employee.state,
                    .cancelReturn(
                        Employee.CancelReturn(reason: reason, decision: decision, tenant: tenant.state, time: time)))
            },
            statement: { $0.cancellation(of: scene.back, of: scene.account, reason: reason.text) },
            record: { recorder, events, _ in
                try recorder.add(events, to: .employee(employee.id, in: tenant.id), version: employee.version)
                for case .keyRevoked(let revoked) in events {
                    recorder.statements.append(
                        NewSession.deletion(
                            employee: employee.id, tenant: tenant.id, fingerprint: KeyFingerprint(of: revoked.key)))
                }
                var after = employee
                after.apply(events, at: time)
                return try await recorder.append(try await run.context.summary(of: after, in: tenant))
            })
    }
}

extension EventRecorder {
    /// Ends what others may have begun with somebody's name, because the owner proved the credentials on a former
    /// device, or a passkey that is bound to one: an open recovery of the user, and an open return of this account.
    ///
    /// - Returns: The notices for the user: what is cancelled, or is still open.
    mutating func endOthers(
        of user: UserSnapshot, by employee: EmployeeSnapshot, on key: PublicKeyBytes, in tenant: TenantSnapshot,
        replacesCredentials: Bool = false
    ) async throws -> [NoticeResponse] {
        let notices = try await endRecovery(
            of: user, by: employee, on: key, in: tenant.id, replacesCredentials: replacesCredentials)
        return try notices + endReturn(of: employee, on: key, in: tenant)
    }

    /// Cancels an open return of this account after a right log-in on a former device.
    ///
    /// - Returns: The notice that says so; without a cancellation the notices about a return.
    private mutating func endReturn(
        of employee: EmployeeSnapshot, on key: PublicKeyBytes, in tenant: TenantSnapshot
    ) throws -> [NoticeResponse] {
        let ends = try Employee.decided(
            employee.state, .endReturn(Employee.EndReturn(.login(key), tenant: tenant.state, time: time)))
        guard let open = employee.state.openReturn(in: tenant.state, at: time), !ends.isEmpty else {
            return context.returnNotices(of: employee, in: tenant.state, at: time)
        }
        try add(
            ends, to: .employee(employee.id, in: tenant.id), version: employee.version,
            metadata: metadata(by: employee.id))
        return [NoticeResponse(type: NoticeResponse.returnCancelled, openedAt: open.openedAt)]
    }

    /// The metadata without an address, whose encryption needs a key of this person.
    func metadata(by employee: EmployeeID) -> EventMetadata {
        var metadata = metadata
        (metadata.actor, metadata.source) = (employee.uuid, nil)
        return metadata
    }
}

extension FlowRecorder {
    /// Ends what others may have begun, because the owner proved the credentials on the flow's device.
    ///
    /// - Returns: The notices for the user: what is cancelled, or is still open.
    mutating func endOthers(
        of user: UserSnapshot, by employee: EmployeeSnapshot, in tenant: TenantSnapshot,
        replacesCredentials: Bool = false
    ) async throws -> [NoticeResponse] {
        try await recorder.endOthers(
            of: user, by: employee, on: row.state.deviceKey, in: tenant, replacesCredentials: replacesCredentials)
    }
}
