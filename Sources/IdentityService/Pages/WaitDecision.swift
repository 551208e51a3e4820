import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// A decision of the pages app about the device key of a waiting browser, which its owner made by a mail.
///
/// The app vouches with its authority key, as every app does. The table of authority says what it may decide.
struct WaitDecision: Sendable {
    let app: AppCaller
    let context: ServiceContext
    let call: Call

    /// The mail was read by whoever opens the link in the waiting browser, or types the code there.
    private static let confirmed = "mail_confirmed"
    /// The owner said that it was somebody else.
    private static let notMine = "not_mine"

    /// Authorizes the key by the mail that was sent for the wait.
    ///
    /// - Returns: Whether the key is authorized now; `false` for a wait that is over, or whose mail may not confirm it
    ///   any more.
    func confirm(_ flow: FlowID, in tenant: TenantID) async throws -> Bool {
        try await deciding {
            guard let scene = try await scene(flow, tenant), let mail = scene.row.mail, call.time < mail.until,
                let recipient = try await DeviceMailRule(scene: scene, context: context).recipient(at: call.time),
                recipient.position == mail.address
            else { return false }
            let access = try await access(to: scene)
            let authority = try await authority(.authorize, Self.confirmed, scene, access)
            let events = try Employee.decided(
                scene.employee.state,
                .authorizeKey(
                    Employee.AuthorizeKey(
                        key: scene.key.key, decision: authority, tenant: access.tenant.state, time: call.time)))
            guard !events.isEmpty else { return false }
            var decision = recorder(access)
            decision.notAfter = mail.until
            var metadata = decision.recorder.metadata
            metadata.causes = [try await scene.proof(context)]
            try decision.recorder.add(
                DeviceMailConfirmed(
                    flow: flow, employeeID: scene.employee.id, fingerprint: scene.key.fingerprint,
                    address: recipient.position),
                to: .wait(flow.uuid, in: tenant), version: 0, metadata: metadata)
            try decision.add(events, to: .employee(scene.employee.id, in: tenant), version: scene.employee.version)
            if recipient.verifies {
                try await decision.takeAddress(of: scene.user.id, inOwnBrowser: true)
                let verified = try User.decided(scene.user.state, .verifyEmail(address: recipient.position))
                try decision.add(verified, to: .user(scene.user.id), version: scene.user.version)
            }
            decision.expectations[.user(scene.user.id)] = scene.user.version
            let isFirst = DeviceMailRule(scene: scene, context: context).isFirstKey
            if recipient.verifies, context.mail != nil {
                try decision.queue(
                    context.welcome(scene.user.id, in: LedgerID(tenant.uuid), at: call.time))
            } else if let notice = try await context.notice(
                isFirst ? .approved : .deviceAdded, about: scene.employee, in: tenant, from: call.sourceAddress,
                at: call.time)
            {
                try decision.queue(notice)
            }
            _ = try await decision.append(nil)
            return true
        }
    }

    /// Refuses the key for good.
    ///
    /// - Returns: Whether the key is refused now; `false` for a wait that is over, or a key that was decided about.
    func refuse(_ flow: FlowID, in tenant: TenantID) async throws -> Bool {
        try await deciding {
            guard let scene = try await scene(flow, tenant) else { return false }
            let access = try await access(to: scene)
            let authority = try await authority(.refuse, Self.notMine, scene, access)
            let reason = try reasonCode(Self.notMine)
            let end = Employee.EndKey(
                key: scene.key.key, reason: reason, decision: authority, tenant: access.tenant.state, time: call.time)
            let events = try Employee.decided(scene.employee.state, .refuseKey(end))
            guard !events.isEmpty else { return true }
            var decision = recorder(access)
            try decision.add(events, to: .employee(scene.employee.id, in: tenant), version: scene.employee.version)
            _ = try await decision.append(nil)
            return true
        }
    }

    /// Runs a decision again from its beginning if what it was decided on has changed. What is refused is over: the app
    /// was unlinked, the person became an admin, or somebody else decided.
    private func deciding(_ body: () async throws -> Bool) async throws -> Bool {
        do { return try await optimistic(retryingClaims: true, body) } catch let refusal as ServiceError {
            let ends: [ErrorCode] = [
                .companyUnknown, .appRoleMissing, .appSecretInvalid, .authorizationNotPermitted,
                .authorizationUnknownKey, .employeeInactive, .employeeUnknown, .requestStale,
            ]
            guard ends.contains(refusal.code) else { throw refusal }
            return false
        }
    }

    private func scene(_ flow: FlowID, _ tenant: TenantID) async throws -> WaitScene? {
        guard let row = try await BrowserWaitRow.find(flow, in: tenant, context, at: call.time),
            row.app == app.appId
        else { return nil }
        return try await WaitScene.load(row, context)
    }

    private func access(to scene: WaitScene) async throws -> CompanyAccess {
        try await context.access(scene.tenant.state.companyName ?? "", .app(app), role: .authorization)
    }

    private func authority(
        _ action: KeyStatement.Action, _ reason: String, _ scene: WaitScene, _ access: CompanyAccess
    ) async throws -> AuthorityDecision {
        let exchange = StatementExchange(context: context, access: access)
        let facts = StatementFacts(
            try await exchange.statementContext(at: call.time), access.tenant, scene.employee.leaves)
        let statement = try await facts.key(action, scene.key, of: scene.employee, reason: reason, context)
        return try access.decision(try exchange.vouch(statement, app.presented))
    }

    private func recorder(_ access: CompanyAccess) -> DecisionRecorder<DecisionResponse> {
        DecisionRecorder(access: access, UseCaseRun<DecisionResponse>(context: context, call: call))
    }
}
