import Canonical
import FoundationEssentials

@testable import IdentityService

extension FakeService {
    /// Every outcome of a flow, each beside some decision; together they are every answer there is.
    static let everyAnswer: [(StepAnswer, Decision)] = {
        let question = ShownQuestion(questionId: "AAAA", question: "Why?")
        let rules = SetUpRules(questionsWithPassphraseAllowed: true, blindOnly: false)
        let erased = EmployeeSummary(companyName: "A", companyEmployeeId: nil, status: "cancelled", role: "admin")
        return [
            (.success(tokens, summary, position: 3), .done(summary, position: 3)),
            (.success(tokens, summary, position: nil), .done(nil, position: nil)),
            (
                .authorizationPending(employeePublicKey: [4], fingerprint: fingerprint, position: 2),
                .signatureRequired(statement: [1])
            ),
            (.setCredentials(challenge: [1], rules: rules), .done(erased, position: nil)),
            (.validateAnswers(challenge: [1], questions: [question]), .done(nil, position: 1)),
            (.validatePassphrase(challenge: [1], questions: nil), .done(nil, position: 1)),
            (.validatePassphrase(challenge: [1], questions: [question]), .done(nil, position: 1)),
        ]
    }()

    private static func text(_ signed: SubmittedStatement?) -> String {
        signed.map { Hex.encode($0.statement) + "/" + Hex.encode($0.signature) } ?? "none"
    }

    func decideKey(_ input: KeyDecisionInput, caller: Caller, call: Call) async throws -> Decision {
        try await enter(
            "decideKey",
            [
                "action": input.action.rawValue, "company": input.company, "employee": input.companyEmployeeId,
                "fingerprint": input.fingerprint, "reason": input.reason ?? "none", "signed": Self.text(input.signed),
            ], call)
        return decision
    }

    /// Company, user and account of every recovery.
    static let recoveryIds = [UUID(), UUID(), UUID()]

    func recoveries(of company: String, caller: EmployeeCaller) async throws -> [RecoveryView] {
        try await enter("recoveries", ["company": company])
        func view(_ state: String, openedBy: String? = nil) -> RecoveryView {
            RecoveryView(
                employee: Self.summary, tenantId: Self.recoveryIds[0], userId: Self.recoveryIds[1],
                employeeId: Self.recoveryIds[2],
                fingerprint: Self.fingerprint, state: state, requestedAt: Self.time, expiresAt: Self.time,
                openedBy: openedBy, availableAt: openedBy == nil ? nil : Self.time)
        }
        return [view("opened", openedBy: "founder"), view("waiting")]
    }

    func cancelRecovery(
        flow: String, signed: SubmittedStatement?, app: AppCaller, call: Call
    ) async throws -> Decision {
        try await enter("cancelRecovery", ["flow": flow, "signed": Self.text(signed)], call)
        return decision
    }

    func decideRecovery(_ input: RecoveryDecisionInput, caller: EmployeeCaller, call: Call) async throws -> Decision {
        try await enter(
            "decideRecovery",
            [
                "action": input.action.rawValue, "company": input.company, "employee": input.companyEmployeeId,
                "fingerprint": input.fingerprint, "reason": input.reason ?? "none", "signed": Self.text(input.signed),
            ], call)
        return decision
    }

    static let invitation = InvitationView(
        id: recoveryIds[0], companyEmployeeId: "7", email: "seven@acme.example", issuedAt: time, expiresAt: time)

    func issueInvitation(
        _ input: InvitationInput, caller: Caller, call: Call
    ) async throws -> InvitationDecision {
        try await enter(
            "issueInvitation",
            [
                "company": input.company, "employee": input.companyEmployeeId, "email": input.email ?? "none",
                "seconds": String(input.seconds), "signed": Self.text(input.signed),
            ], call)
        if case .signatureRequired(let statement) = decision { return .signatureRequired(statement: statement) }
        return .issued(Self.invitation, invitation: "AAAAAAAAAAAAAAAAAAAAAA", position: 9)
    }

    func invitations(of company: String, caller: Caller) async throws -> [InvitationView] {
        try await enter("invitations", ["company": company])
        return [Self.invitation]
    }

    func revokeInvitation(
        _ id: String, of company: String, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await enter("revokeInvitation", ["company": company, "id": id, "signed": Self.text(signed)], call)
        return decision
    }

    func decideStatus(_ input: StatusDecisionInput, caller: Caller, call: Call) async throws -> Decision {
        try await enter(
            "decideStatus",
            [
                "action": input.action.rawValue, "company": input.company, "employee": input.companyEmployeeId,
                "note": input.note ?? "none", "signed": Self.text(input.signed),
            ], call)
        return decision
    }

    func changeRole(
        _ input: RoleInput, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await enter(
            "changeRole",
            [
                "role": input.role.rawValue, "company": input.company, "employee": input.companyEmployeeId,
                "fingerprints": input.fingerprints?.joined(separator: " ") ?? "none", "signed": Self.text(signed),
            ], call)
        return decision
    }

    func reclaimEmail(
        _ email: String, reason: String, company: String, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await enter(
            "reclaimEmail", ["email": email, "reason": reason, "company": company, "signed": Self.text(signed)],
            call)
        return decision
    }

    func changePolicy(
        of company: String, _ change: PolicyInput, ifMatch: Int?, signed: SubmittedStatement?, caller: Caller,
        call: Call
    ) async throws -> Decision {
        try await enter(
            "changePolicy",
            [
                "company": company, "ifMatch": ifMatch.map(String.init) ?? "none", "signed": Self.text(signed),
                "keyAuthorization": change.keyAuthorization ?? "none", "approval": change.approval ?? "none",
                "blindOnly": change.blindOnly.map { "\($0)" } ?? "none",
            ], call)
        return decision
    }

    func linkApp(
        _ appId: String, to company: String, roles: Set<CallerRole>?, signed: SubmittedStatement?, caller: Caller,
        call: Call
    ) async throws -> Decision {
        try await enter(
            "linkApp",
            [
                "appId": appId, "company": company,
                "roles": roles.map { $0.map(\.rawValue).sorted().joined(separator: " ") } ?? "none",
                "signed": Self.text(signed),
            ], call)
        return decision
    }
}
