import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// Lets the browser wait whose flow ended in `authorizationPending`, so that it needs no second log-in.
///
/// A mail to the owner is queued with it where the pages app may vouch by one, see ``DeviceMailRule``. So a mail goes
/// out only after a right credential.
package struct BeginWait: UseCase, Redacted {
    /// The time for which a browser waits after the proof of its flow.
    static let lifetime: Duration = .seconds(1_800)
    /// The time after which admins are told of somebody who can confirm the device by mail or on another device.
    static let patience: Duration = .seconds(600)

    package let flow: String
    /// What the flow was for.
    package let purpose: FlowKind
    /// The handle of the stored authorization request; empty without one.
    package let request: String
    /// The pages app, which began the flow.
    package let app: AppCaller
    /// The network that the browser's address is in, for people; empty if it is unknown.
    package let network: String
    /// The language tags of the reader, best first.
    package let languages: [String]

    package init(
        flow: String, purpose: FlowKind, request: String, app: AppCaller, network: String, languages: [String] = []
    ) {
        self.flow = flow
        self.purpose = purpose
        self.request = request
        self.app = app
        self.network = network
        self.languages = languages
    }

    /// Refuses an app without the role that opens sessions.
    package func authorize() throws(ServiceError) { try app.require(.login) }

    /// Stores the wait, and returns the value of its cookie.
    ///
    /// A browser that comes again with the flow, because it did not get the first cookie, gets another one for the same
    /// wait.
    ///
    /// - Throws: `flow.expired` for an unknown flow or one whose key no longer waits; `flow.wrong_step` for one that
    ///   goes on.
    package func run(_ run: UseCaseRun<String>) async throws -> String {
        let context = run.context, time = run.call.time
        let state = try await FlowStore(context: context).loadEnded(
            handle: flow, purpose: purpose, app: app, at: time)
        let tenant = TenantID(state.tenantId), id = FlowID(state.id)
        let cookie = WaitCookie(tenant: tenant, id: id)
        var row = try await row(state, cookie, run)
        guard let scene = try await WaitScene.load(row, context), time < row.expiresAt,
            [.pending, .authorized].contains(scene.standing(at: time))
        else { throw ServiceError(.flowExpired) }
        if let known = try await BrowserWaitRow.find(id, in: tenant, context, at: time) {
            // Credentials that were set since then end the wait.
            guard known.credential == row.credential else { throw ServiceError(.flowExpired) }
            row.mail = known.mail
            row.tries = known.tries
            let update = row.update(from: known.tries, context.ring)
            let rows = try await context.pool.query("\(update) RETURNING 1", in: [LedgerID(row.tenant)])
            guard !rows.isEmpty else { throw ServiceError(.flowExpired) }
            return cookie.text
        }
        let rule = DeviceMailRule(scene: scene, context: context)
        if [.login, .address, .registration].contains(purpose),
            let mail = try await rule.mail(at: time, from: run.call.sourceAddress, languages)
        {
            row.mail = mail.row
            var recorder = EventRecorder(
                context, at: time, metadata: EventMetadata(app: app.appId, requestId: run.call.requestId))
            try recorder.queue(mail.mail)
            recorder.statements.append(row.replacement(context.ring))
            try await recorder.append()
        } else {
            _ = try await context.pool.query(row.replacement(context.ring), in: [LedgerID(row.tenant)])
        }
        // Who can help themselves gets the time for it, before an admin is asked.
        let helps = row.mail != nil || scene.hasOtherDevice
        await WaitNotice(context: context, tenant: scene.tenant).queue(
            about: scene.employee.id, delay: helps && !scene.needsApproval ? Self.patience : .zero, run.call)
        return cookie.text
    }

    private func row(
        _ state: FlowState, _ cookie: WaitCookie, _ run: UseCaseRun<String>
    ) async throws -> BrowserWaitRow {
        let context = run.context, tenant = TenantID(state.tenantId)
        let employee = try await StateLoader(reader: context.reader).employee(EmployeeID(state.employeeId), in: tenant)
        guard let account = employee.state.account else { throw ServiceError(.flowExpired) }
        let proof = try await proof(of: state, employee, context)
        let user = try await StateLoader(reader: context.reader).user(account.user)
        guard let credential = user.state.credentials?.id.uuid,
            ![.login, .address].contains(purpose) || credential == state.credentialId
        else { throw ServiceError(.flowExpired) }
        let origin = WaitOrigin(network: network, device: run.call.deviceName ?? "")
        return BrowserWaitRow(
            tenant: tenant.uuid, flow: state.id, digest: cookie.digest(context.ring), employee: employee.id.uuid,
            fingerprint: try state.fingerprint.bytes, credential: credential, app: app.appId,
            methods: proof.methods.text, provedAt: proof.time,
            request: request.isEmpty ? nil : try cookie.seal(request, context.ring),
            origin: try origin.sealed(for: state.id, context.ring), expiresAt: proof.time.adding(Self.lifetime))
    }

    /// The event of the log that proves the flow: the validation of answers or a passphrase, or the presentation of the
    /// key by a new user or after a recovery.
    private func proof(
        of state: FlowState, _ employee: EmployeeSnapshot, _ context: ServiceContext
    ) async throws -> (time: Timestamp, methods: AuthenticationMethods) {
        let stream = StreamID.flow(state.id, in: TenantID(state.tenantId))
        let events = try await context.reader.streams([stream])[stream] ?? []
        switch events.first?.type {
        case AnswersValidated.type: return (events[0].time, .credential(.answers))
        case PassphraseValidated.type: return (events[0].time, .credential(.passphrase))
        default:
            guard let key = employee.state.keys[try state.deviceKey], key.flow.uuid == state.id else {
                throw ServiceError(.flowExpired)
            }
            return (key.presentedAt, .device)
        }
    }
}
