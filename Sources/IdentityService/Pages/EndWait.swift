import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Opens the session of a browser that waited, once the device key is in force.
///
/// The cookie alone opens nothing: the device signs a fresh challenge. A flow opens one session this way, because the
/// event that carries the signature is the only one of its kind in the flow's stream.
package struct EndWait: UseCase, Redacted {
    /// What opens the browser's session.
    package struct Answer: Sendable, RedactedDescription {
        /// The outcome of the flow that waited.
        package let outcome: FlowOutcomeResponse
        /// The handle of the stored authorization request; empty without one.
        package let request: String
    }

    package let cookie: String
    /// The challenge, as ``ReadWait`` returned it.
    package let challenge: [UInt8]
    /// The device's signature over it, DER or 64 raw bytes.
    package let signature: [UInt8]
    package let app: AppCaller

    package init(cookie: String, challenge: [UInt8], signature: [UInt8], app: AppCaller) {
        self.cookie = cookie
        self.challenge = challenge
        self.signature = signature
        self.app = app
    }

    /// Refuses an app without the role that opens sessions.
    package func authorize() throws(ServiceError) { try app.require(.login) }

    /// Opens the session.
    ///
    /// - Throws: `flow.expired` for a wait that is over, or a challenge that is too old; `flow.wrong_step` while the
    ///   key waits; `employee.key_invalid` for a wrong signature;
    ///   `passkey.stopped`; `employee.passkey_required` after a log-in where the tenant asks for a passkey and the device key is none.
    package func run(_ run: UseCaseRun<Answer>) async throws -> Answer {
        let context = run.context, time = run.call.time
        return try await optimistic {
            guard let (known, scene) = try await context.wait(cookie, at: time), scene.row.app == app.appId else {
                throw ServiceError(.flowExpired)
            }
            switch scene.standing(at: time) {
            case .authorized: break
            case .pending: throw ServiceError(.flowWrongStep)
            case .refused, .over: throw ServiceError(.flowExpired)
            }
            let proof = try await WaitChallenge(scene: scene, context: context).verified(challenge, signature, at: time)
            let request = scene.row.request.flatMap { known.open($0, context.ring) } ?? ""
            return Answer(outcome: try await open(scene, proof, run), request: request)
        }
    }

    private func open(
        _ scene: WaitScene, _ proof: WaitChallenge.Proof, _ run: UseCaseRun<Answer>
    ) async throws -> FlowOutcomeResponse {
        let context = run.context, tenant = scene.tenant.id, employee = scene.employee
        let flow = FlowID(scene.row.flow), stream = StreamID.wait(flow.uuid, in: tenant)
        let events = try await context.reader.streams([stream])[stream] ?? []
        guard !events.contains(where: { $0.type == WaitEnded.type }) else { throw ServiceError(.flowExpired) }
        guard employee.state.mayOpenSession(on: scene.key.fingerprint, in: scene.tenant.state, at: run.call.time) else {
            throw ServiceError(.employeePasskeyRequired)
        }
        let session = try await NewSession(
            of: employee, in: scene.tenant, fingerprint: scene.key.fingerprint,
            by: AuthenticationMethods(text: scene.row.methods), app: app, run.call, context)
        let summary = try await context.summary(of: employee, in: scene.tenant)
        var recorder = EventRecorder(
            context, at: run.call.time,
            metadata: EventMetadata(actor: employee.id.uuid, app: app.appId, requestId: run.call.requestId))
        recorder.expectations[.employee(employee.id, in: tenant)] = employee.version
        recorder.expectations[.tenant(tenant)] = scene.tenant.version
        recorder.expectations[.user(scene.user.id)] = scene.user.version
        let isStopped = try await recorder.notePasskey(
            scene.key.key, proof.signature, of: employee, in: scene.tenant, from: run.call.sourceAddress)
        guard !isStopped else {
            try await recorder.append()
            throw ServiceError(.passkeyStopped)
        }
        // Verification compares the recorded times.
        recorder.notAfter = min(proof.expires, scene.row.expiresAt)
        var metadata = recorder.metadata
        metadata.causes = [try await scene.proof(context)]
        try recorder.add(
            WaitEnded(
                flow: flow, employeeID: employee.id, sessionID: SessionID(session.id), key: scene.key.key,
                challenge: challenge, deviceSignature: proof.signature),
            to: stream, version: events.version, metadata: metadata)
        try await recorder.open(session)
        recorder.statements.append(scene.row.deletion)
        let appended = try await recorder.append()
        return .success(session.tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
    }
}
