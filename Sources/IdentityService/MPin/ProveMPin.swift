import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import MPinCryptography
import TenureAPI

/// The challenge that answers a commitment.
package struct MPinChallengeOffer: Sendable, Equatable {
    /// The number y, 32 bytes.
    package var challenge: [UInt8]
    /// The handle that pass 2 repeats.
    package var handle: String
}

/// Pass 1: answers the commitment U with a random challenge y. An unknown M-Pin ID gets one too.
package struct StartMPinProof: UseCase {
    package let company: String
    /// The M-Pin ID in hexadecimal.
    package let mpinID: String
    /// The point U in hexadecimal.
    package let commitment: String
    package let app: AppCaller

    package init(company: String, mpinID: String, commitment: String, app: AppCaller) {
        self.company = company
        self.mpinID = mpinID
        self.commitment = commitment
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.login) }

    package func run(_ run: UseCaseRun<MPinChallengeOffer>) async throws -> MPinChallengeOffer {
        let mpinID = try MPinID(text: self.mpinID)
        let company = try await run.context.mpin(self.company, app, role: .access)
        let point = try MPinCommitment(hex: commitment)
        let challenge = MPinChallenge().encoded, id = UUID.random()
        let passes = MPinPasses(context: run.context, tenant: company.tenant, app: app)
        try await passes.open(
            id, hash: try mpinID.hash, commitment: point.encoded, challenge: challenge, at: run.call.time)
        return MPinChallengeOffer(challenge: challenge, handle: Base64URL.encode(id.bytes))
    }
}

/// Pass 2: computes the verdict about V and records it. The reply never tells the verdict: ``RedeemMPinProof`` does.
///
/// One append names the version of the identity's stream, counts a wrong proof and consumes the challenge. So of many
/// wrong proofs at once exactly as many count as the policy allows.
package struct ProveMPin: UseCase {
    package let company: String
    /// The M-Pin ID in hexadecimal.
    package let mpinID: String
    /// The point V in hexadecimal.
    package let response: String
    /// The handle of pass 1; `nil` for the newest challenge.
    package let handle: String?
    package let app: AppCaller

    package init(company: String, mpinID: String, response: String, handle: String? = nil, app: AppCaller) {
        self.company = company
        self.mpinID = mpinID
        self.response = response
        self.handle = handle
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.login) }

    /// Returns the token with which the app learns the verdict.
    package func run(_ run: UseCaseRun<String>) async throws -> String {
        let context = run.context, time = run.call.time, mpinID = try MPinID(text: self.mpinID)
        let point = try MPinResponse(hex: response)
        let handle = try self.handle.map { text throws(ServiceError) in try Self.pass(text) }
        let first = try await context.mpin(self.company, app, role: .access)
        let passes = MPinPasses(context: context, tenant: first.tenant, app: app)
        guard let found = try await passes.find(handle, hash: mpinID.hash, at: time) else {
            throw ServiceError(.mpinRequestExpired)
        }
        let token = passes.token(of: found.id, for: point.encoded)
        let isRight = try await verdict(point, found, token, mpinID, first, run)
        return try await optimistic {
            // A repeated response has its verdict already. Another one for the same challenge is refused.
            guard let pass = try await passes.find(found.id, hash: mpinID.hash, at: time) else {
                throw ServiceError(.mpinRequestExpired)
            }
            if let digest = pass.tokenDigest {
                guard equalInConstantTime(digest, token.digest) else { throw ServiceError(.mpinRequestExpired) }
                return token.text
            }
            guard let isRight, time < pass.expiresAt else { throw ServiceError(.mpinRequestExpired) }
            let company = try await context.mpin(self.company, app, role: .access)
            try await record(isRight, pass, token, mpinID, company, passes, run)
            return token.text
        }
    }

    private static func pass(_ text: String) throws(ServiceError) -> UUID {
        guard let bytes = Base64URL.decode(text), bytes.count == 16, let id = UUID(bytes: bytes) else {
            throw ServiceError(.mpinRequestExpired)
        }
        return id
    }

    /// Computes the verdict; `nil` if the challenge has expired or had its response.
    ///
    /// It is computed for an unknown M-Pin ID too, so that both take the same time.
    private func verdict(
        _ response: MPinResponse, _ pass: MPinPass, _ token: MPinProofToken, _ mpinID: MPinID, _ company: MPinCompany,
        _ run: UseCaseRun<String>
    ) async throws -> Bool? {
        guard pass.tokenDigest == nil, run.call.time < pass.expiresAt else { return nil }
        let identity = try await run.context.mpinIdentity(named: mpinID, in: company.tenant)
        let epoch = identity?.state.key?.epoch ?? Int(company.keys.epoch)
        let keys = MPinServerKeys(context: run.context, source: company.keys)
        let key = try await keys.key(of: company.tenant, epoch: epoch, at: run.call.time)
        let hash = try mpinID.hash.bytes
        let lane = AdmissionLane(app: app.appId, tenant: company.tenant.uuid, isKnownDevice: false)
        return try await run.context.evaluations.admitted(lane) { turn in
            try await turn.run {
                try key.accepts(
                    response, to: MPinChallenge(encoded: pass.challenge),
                    after: MPinCommitment(encoded: pass.commitment), from: MPinIdentityPoint(digest: hash))
            }
        }
    }

    /// Records the verdict with the events that follow. A refusal appends nothing.
    private func record(
        _ isRight: Bool, _ pass: MPinPass, _ token: MPinProofToken, _ mpinID: MPinID, _ company: MPinCompany,
        _ passes: MPinPasses, _ run: UseCaseRun<String>
    ) async throws {
        let context = run.context, tenant = company.tenant
        let identity = try await context.mpinIdentity(named: mpinID, in: tenant)
        let linked: EmployeeSnapshot?
        if let identity { linked = try await context.linkedEmployee(of: identity, in: tenant) } else { linked = nil }
        let proof = MPinIdentity.Proof(
            isRight: isRight, policy: company.policy, linkedStatus: context.linkedStatus(linked, of: identity),
            time: run.call.time)
        let (verdict, events) = Self.decide(identity?.state, proof, oldestEpoch: Int(company.keys.oldestEpoch))
        let recording = try passes.recording(verdict, of: pass, token, mpinID, at: run.call.time)
        guard let identity, verdict == .right || !events.isEmpty else {
            return try await passes.record(recording)
        }
        var recorder = DecisionRecorder(access: company.access, run)
        let stream = StreamID.mpin(identity.id, in: tenant)
        recorder.expectations[stream] = identity.version
        recorder.guardLinked(linked, in: tenant)
        try recorder.add(events, to: stream, version: identity.version)
        if verdict == .right {
            try recorder.add(
                MPinAuthenticated(identityID: identity.id), to: .flow(pass.id, in: tenant), version: 0)
        }
        recorder.statements.append(recording)
        _ = try await recorder.append { _ in "" }
    }

    /// The verdict that the app is told, and the events of it.
    private static func decide(
        _ state: MPinIdentity.State?, _ proof: MPinIdentity.Proof, oldestEpoch: Int
    ) -> (MPinPass.Verdict, [MPinIdentityEvent]) {
        let events: [MPinIdentityEvent]
        do { events = try MPinIdentity.decide(state ?? MPinIdentity.initial, .prove(proof)) } catch {
            return (.refused(ServiceError(error).code), [])
        }
        guard let key = state?.key, key.epoch >= oldestEpoch else { return (.refused(.mpinKeyExpired), []) }
        if proof.isRight { return (.right, events) }
        let isBlocked = events.contains { if case .blocked = $0 { true } else { false } }
        return (.refused(isBlocked ? .mpinBlocked : .mpinWrongPIN), events)
    }
}

extension MPinCommitment {
    /// Reads U in hexadecimal.
    ///
    /// - Throws: `mpin.point_invalid`.
    fileprivate init(hex: String) throws(ServiceError) {
        guard let bytes = Hex.decodeAnyCase(hex) else { throw ServiceError(.mpinPointInvalid) }
        do { try self.init(encoded: bytes) } catch { throw ServiceError(.mpinPointInvalid) }
    }
}

extension MPinResponse {
    /// Reads V in hexadecimal.
    ///
    /// - Throws: `mpin.point_invalid`.
    fileprivate init(hex: String) throws(ServiceError) {
        guard let bytes = Hex.decodeAnyCase(hex) else { throw ServiceError(.mpinPointInvalid) }
        do { try self.init(encoded: bytes) } catch { throw ServiceError(.mpinPointInvalid) }
    }
}
