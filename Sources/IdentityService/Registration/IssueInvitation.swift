import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import TenureAPI

/// Invites a person to register under an employee id. An admin signs, or an app vouches.
///
/// The statement commits to the employee id and the address with a salt. An admin chooses the salt, so the signing
/// device can compute the commitment itself. So an admin cannot be made to sign for another person than the one named.
package struct IssueInvitation: CallerUseCase {
    /// The default lifetime of an invitation, in seconds: a week.
    private static let usualSeconds: Int64 = 7 * 86_400

    package let company: String
    /// Whom the admin or app invites, and an admin's signature in the second call.
    package let request: InvitationRequest
    /// The app or employee that invites.
    package let caller: Caller

    package init(_ request: InvitationRequest, company: String, caller: Caller) {
        self.company = company
        self.request = request
        self.caller = caller
    }

    /// The lifetime of the invitation, in seconds.
    var seconds: Int64 { request.expiresInSeconds ?? Self.usualSeconds }

    /// Issues the invitation, or returns the statement to sign.
    package func run(_ run: UseCaseRun<InvitationDecisionResponse>) async throws -> InvitationDecisionResponse {
        let names = try Names(request.companyEmployeeId, request.email), context = run.context, time = run.call.time
        return try await run.decide(by: caller, request.signed) {
            let access = try await context.access(company, caller, role: .administration), tenant = access.tenant.id
            try access.require(.issueInvitation, about: .newcomer)
            try names.checkScope(in: access.name)
            try await refuseOwned(names.employee, in: tenant, context)
            let salt = try IdentityService.subjectSalt(of: caller, request.subjectSalt)
            let subject = Commitment.invitation(
                salt: salt.bytes, company: access.name.canonical, employee: names.employee.canonical,
                email: names.email?.canonical)
            let token = InvitationToken(), claim = context.ring.invitationClaim(token, in: tenant)
            return SignedDecision(
                access: access,
                decide: { decision in
                    guard let digest = Bytes32(claim.digest), let subject = Bytes32(subject.bytes) else {
                        throw ProgramDefect("a digest has another length")
                    }
                    let issue = Invitation.IssueInvitation(
                        id: InvitationID(try statementID(of: decision)), digest: digest, subject: subject,
                        subjectSalt: salt, companyEmployeeID: names.employee, email: names.email,
                        expiresAt: time.adding(.seconds(seconds)), decision: decision, time: time)
                    return try Invitation.decided(Invitation.initial, .issue(issue))
                },
                statement: { $0.invitation(to: subject.bytes, seconds: seconds, reason: "invited") },
                record: { recorder, events, decision in
                    try await record(events, decision, names, token, claim, in: &recorder)
                })
        }
    }

    /// What is invited: an employee id, and the address that may be registered.
    private struct Names {
        let employee: CompanyEmployeeID
        let email: EmailAddress?

        init(_ id: String, _ address: String?) throws(ServiceError) {
            employee = try parsed { () throws(ValueError) in try CompanyEmployeeID(id) }
            guard let address else {
                email = nil
                return
            }
            email = try parsed { () throws(ValueError) in try EmailAddress(address) }
        }

        func checkScope(in company: CompanyName) throws(ServiceError) {
            try parsed { () throws(ValueError) in try email?.checkScope(of: employee, in: company) }
        }
    }

    /// Refuses an employee id that is not provisional, for which an invitation would be useless.
    private func refuseOwned(
        _ id: CompanyEmployeeID, in tenant: TenantID, _ context: ServiceContext
    ) async throws {
        guard let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: tenant)) else { return }
        let holder = try await StateLoader(reader: context.reader).employee(EmployeeID(claim.owner), in: tenant)
        guard holder.state.isProvisional else { throw ServiceError(.employeeAlreadyRegistered) }
    }

    private func record(
        _ events: [InvitationEvent], _ decision: AuthorityDecision, _ names: Names, _ token: InvitationToken,
        _ claim: ClaimKey, in recorder: inout DecisionRecorder<InvitationDecisionResponse>
    ) async throws -> InvitationDecisionResponse {
        let context = recorder.context, tenant = recorder.access.tenant.id, time = recorder.call.time
        let id = try await requireFirstIssue(by: decision, context) { .invitation(InvitationID($0), in: tenant) }
        let stream = StreamID.invitation(InvitationID(id), in: tenant), end = time.adding(.seconds(seconds))
        let (key, insertion) = try await context.personKeys.create(id: id, ledger: tenant.uuid)
        recorder.statements.append(insertion)
        try recorder.add(events, to: stream, version: 0, keys: [id: key])
        recorder.claims.append(Claim(key: claim, owner: id, expiresAt: end))
        let mail = try await context.mailing(
            InvitationID(id), to: names.email, in: recorder.access.tenant, until: end,
            app: recorder.access.app, at: time)
        if let mail { try recorder.queue(mail) }
        let view = InvitationResponse(
            invitationId: id, companyEmployeeId: names.employee.entered, email: names.email?.entered, issuedAt: time,
            expiresAt: end)
        return try await recorder.append { InvitationDecisionResponse.done(view, invitation: token.text, position: $0) }
    }
}

/// The token that an invited person presents: 128 random bits, shown once and stored only as a keyed digest.
struct InvitationToken: Sendable, Redacted {
    /// The 16 bytes.
    let bytes: [UInt8]

    private static let byteCount = 16

    /// Draws a new token.
    init() { bytes = randomBytes(Self.byteCount) }

    /// Parses a token as typed, ignoring white space; `nil` if it is malformed.
    init?(text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text.filter { !$0.isWhitespace }),
            bytes.count == Self.byteCount
        else { return nil }
        self.bytes = bytes
    }

    /// The token as 22 characters of base64url.
    var text: String { Base64URL.encode(bytes) }
}

extension KeyRing {
    /// The claim on an invitation token in one tenant, owned by the invitation.
    func invitationClaim(_ token: InvitationToken, in tenant: TenantID) -> ClaimKey {
        ClaimKey(
            ledger: LedgerID(tenant.uuid), kind: Self.invitationKind,
            digest: lookupDigest(kind: Self.invitationKind, token.bytes, scope: tenant.uuid))
    }
}
