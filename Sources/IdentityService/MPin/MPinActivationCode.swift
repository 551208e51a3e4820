import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import TenureAPI

/// Compares entered activation codes with the one that was issued, and counts wrong entries.
struct MPinActivationCode: Sendable {
    let access: CompanyAccess
    let context: ServiceContext

    init(_ access: CompanyAccess, _ context: ServiceContext) {
        self.access = access
        self.context = context
    }

    /// The digest by which a code is compared. It is keyed, because a code has six digits.
    static func digest(_ code: String, of id: MPinActivationID, ring: KeyRing) throws(ProgramDefect) -> Bytes32 {
        guard let digest = Bytes32(ring.mpinCode("activation", [id.uuid.bytes, Array(code.utf8)])) else {
            throw ProgramDefect("a digest has another length")
        }
        return digest
    }

    /// Adds the use of a right code to the append that starts the registration.
    ///
    /// A wrong entry is recorded in an append of its own. Five end the activation.
    ///
    /// - Throws: `authorization.not_permitted` for a wrong code, and in the same way if there is none to enter.
    func use<Answer>(
        _ code: String, of userID: MPinUserID, for identity: MPinIdentityID,
        in recorder: inout DecisionRecorder<Answer>
    ) async throws {
        let claim = context.ring.mpinActivationClaim(userID, in: access.tenant.id)
        guard let owner = try await context.reader.claim(claim)?.owner else {
            throw ServiceError(Denial.activationCodeInvalid)
        }
        let id = MPinActivationID(owner), stream = StreamID.activation(id, in: access.tenant.id)
        let keys = try await context.personKeys.load([owner], ledger: access.tenant.id.uuid)
        let activation = try StateLoader.activation(
            id, try await context.reader.streams([stream])[stream] ?? [], keys: keys)
        let entered = try Self.digest(code.filter { $0 != " " }, of: id, ring: context.ring)
        // Two addresses may fold to the text that the claim is keyed by. The code is for one of them.
        let isRight =
            activation.state.issue.map { issue in
                equalInConstantTime(issue.digest.bytes, entered.bytes)
                    && issue.userID.text.flatMap { try? MPinUserID($0) } == userID
            } ?? false
        let events = try MPinActivation.decided(
            activation.state, .enter(isRight: isRight, for: identity, at: recorder.call.time))
        guard isRight else {
            // The wrong entry is recorded, and the call is refused: so no reply is stored.
            var failure = EventRecorder(context, at: recorder.call.time, metadata: recorder.metadata)
            failure.expectations = recorder.expectations
            try failure.add(events, to: stream, version: activation.version)
            try await failure.append()
            throw ServiceError(Denial.activationCodeInvalid)
        }
        recorder.notAfter = activation.state.issue?.expiresAt
        try recorder.add(events, to: stream, version: activation.version)
        recorder.releases.append(ClaimRelease(key: claim, owner: owner))
    }
}

/// Issues a code of six digits that verifies one M-Pin identity of a user id. An admin signs, or an app vouches.
///
/// A new code replaces the last one of the same user id.
package struct IssueMPinActivation: CallerUseCase {
    package let company: String
    /// The user id, the salt of the commitment to it, and an admin's signature in the second call.
    package let request: MPinActivationRequest
    package let caller: Caller

    package init(_ request: MPinActivationRequest, company: String, caller: Caller) {
        self.company = company
        self.request = request
        self.caller = caller
    }

    /// Issues the code, or returns the statement to sign.
    package func run(_ run: UseCaseRun<MPinActivationResponse>) async throws -> MPinActivationResponse {
        let userID = try parsed { () throws(ValueError) in try MPinUserID(request.userId) }
        let context = run.context, time = run.call.time
        return try await run.decide(by: caller, request.signed, retryingClaims: true) {
            let access = try await context.access(company, caller, role: .authorization)
            guard access.tenant.state.mpinPolicy.enabled else { throw ServiceError(.mpinDisabled) }
            try access.require(.verifyMPin, about: .newcomer)
            let salt = try IdentityService.subjectSalt(of: caller, request.subjectSalt)
            let subject = Commitment.subject(
                salt: salt.bytes, company: access.name.canonical, employee: userID.canonical)
            let code = Self.newCode()
            return SignedDecision(
                access: access,
                decide: { decision in
                    guard let committed = Bytes32(subject.bytes) else {
                        throw ProgramDefect("a digest has another length")
                    }
                    let id = MPinActivationID(try statementID(of: decision))
                    let issue = MPinActivation.Issue(
                        id: id, digest: try MPinActivationCode.digest(code, of: id, ring: context.ring),
                        subject: committed, subjectSalt: salt, userID: userID, decision: decision, time: time)
                    return try MPinActivation.decided(MPinActivation.initial, .issue(issue))
                },
                statement: { $0.mpin(.activate, nil, subject.bytes, reason: "activated") },
                record: { recorder, events, decision in
                    try await record(events, decision, code, userID, in: &recorder)
                })
        }
    }

    private func record(
        _ events: [MPinActivationEvent], _ decision: AuthorityDecision, _ code: String, _ userID: MPinUserID,
        in recorder: inout DecisionRecorder<MPinActivationResponse>
    ) async throws -> MPinActivationResponse {
        let context = recorder.context, tenant = recorder.access.tenant.id
        let id = try await requireFirstIssue(by: decision, context) { .activation(MPinActivationID($0), in: tenant) }
        let stream = StreamID.activation(MPinActivationID(id), in: tenant)
        let (key, insertion) = try await context.personKeys.create(id: id, ledger: tenant.uuid)
        recorder.statements.append(insertion)
        try recorder.add(events, to: stream, version: 0, keys: [id: key])
        let claim = context.ring.mpinActivationClaim(userID, in: tenant)
        if let former = try await context.reader.claim(claim) {
            recorder.releases.append(ClaimRelease(key: claim, owner: former.owner))
        }
        let end = recorder.call.time.adding(MPinActivation.lifetime)
        recorder.claims.append(Claim(key: claim, owner: id, expiresAt: end))
        return try await recorder.append {
            MPinActivationResponse.done(activationId: id, code: code, expiresAt: end, position: $0)
        }
    }

    /// Six random digits.
    private static func newCode() -> String {
        let number = Int.random(in: 0..<1_000_000)
        return String(repeating: "0", count: 6 - String(number).count) + String(number)
    }
}
