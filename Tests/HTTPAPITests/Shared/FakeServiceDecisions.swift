import Canonical
import FoundationEssentials
import TenureAPI

@testable import IdentityService

extension FakeService {
    /// Every outcome of a flow, each beside some decision; together they are every answer there is.
    static let everyAnswer: [(FlowOutcomeResponse, DecisionResponse)] = {
        let question = QuestionResponse(questionId: "AAAA", question: "Why?")
        let rules = CredentialRulesResponse(
            questions: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: true, blindOnly: false)
        let erased = EmployeeSummaryResponse(
            employeeId: employeeId, tenantId: appId, companyName: "A", companyEmployeeId: nil, status: "cancelled",
            role: "admin")
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

    private static func text(_ signed: StatementSignature?) -> String {
        signed.map { Hex.encode($0.statement) + "/" + Hex.encode($0.signature) } ?? "none"
    }

    private static func text(_ change: LinkApp.Change) -> String {
        guard case .link(let roles) = change else { return "unlink" }
        return roles.map { $0.map(\.rawValue).sorted().joined(separator: " ") } ?? "link"
    }

    /// The answer to an administrative decision; `nil` for other requests.
    func decisionAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let key as DecideKey:
            try await enter(
                "decideKey",
                [
                    "action": key.action.rawValue, "company": key.company, "employee": key.companyEmployeeId,
                    "fingerprint": key.fingerprint, "reason": key.reason ?? "none", "signed": Self.text(key.signed),
                ], call)
        case let revoke as RevokeDevice:
            try await enter("revokeDevice", ["fingerprint": revoke.fingerprint, "reason": revoke.reason], call)
        case let status as DecideStatus:
            try await enter(
                "decideStatus",
                [
                    "action": status.action.rawValue, "company": status.company,
                    "employee": status.companyEmployeeId, "note": status.request.note ?? "none",
                    "signed": Self.text(status.request.signed),
                ], call)
        case let role as ChangeRole:
            try await enter(
                "changeRole",
                [
                    "role": role.request.role.rawValue, "company": role.company, "employee": role.companyEmployeeId,
                    "fingerprints": role.request.fingerprints?.joined(separator: " ") ?? "none",
                    "signed": Self.text(role.request.signed),
                ], call)
        case let reclaim as ReclaimEmail:
            try await enter(
                "reclaimEmail",
                [
                    "email": reclaim.request.email, "reason": reclaim.request.reason, "company": reclaim.company,
                    "signed": Self.text(reclaim.request.signed),
                ], call)
        case let policy as ChangePolicy:
            try await enter(
                "changePolicy",
                [
                    "company": policy.company, "ifMatch": policy.ifMatch.map(String.init) ?? "none",
                    "signed": Self.text(policy.change.signed),
                    "keyAuthorization": policy.change.keyAuthorization?.rawValue ?? "none",
                    "approval": policy.change.approval?.rawValue ?? "none",
                    "blindOnly": policy.change.blindOnly.map { "\($0)" } ?? "none",
                ], call)
        case let link as LinkApp:
            try await enter(
                "linkApp",
                [
                    "appId": link.appId, "company": link.company,
                    "change": Self.text(link.change),
                    "signed": Self.text(link.signed),
                ], call)
        default: return nil
        }
        return decision
    }

    /// Company, user and account of every recovery.
    static let recoveryIds = [UUID(), UUID(), UUID()]
    static let invitation = InvitationResponse(
        invitationId: recoveryIds[0], companyEmployeeId: "7", email: "seven@acme.example", issuedAt: time,
        expiresAt: time)

    /// The answer to a request about recoveries or invitations; `nil` for other requests.
    func recoveryAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let list as ListRecoveries:
            try await enter("recoveries", ["company": list.company])
            return [Self.recovery("opened", openedBy: "founder"), Self.recovery("waiting")]
        case let cancel as CancelRecoveryByDevice:
            try await enter("cancelRecovery", ["flow": cancel.flow, "signed": Self.text(cancel.signed)], call)
            return decision
        case let cancel as CancelReturnByDevice:
            try await enter("cancelReturn", ["flow": cancel.flow, "signed": Self.text(cancel.signed)], call)
            return decision
        case is ConfirmReturn:
            try await enter("confirmReturn", [:], call)
            return returnLink
        case let decide as DecideRecovery:
            try await enter(
                "decideRecovery",
                [
                    "action": decide.action.rawValue, "company": decide.company,
                    "employee": decide.companyEmployeeId, "fingerprint": decide.fingerprint,
                    "reason": decide.reason ?? "none", "signed": Self.text(decide.signed),
                ], call)
            return decision
        case let issue as IssueInvitation:
            try await enter(
                "issueInvitation",
                [
                    "company": issue.company, "employee": issue.request.companyEmployeeId,
                    "email": issue.request.email ?? "none",
                    "seconds": String(issue.seconds), "signed": Self.text(issue.request.signed),
                ], call)
            if case .signatureRequired(let statement) = decision {
                return InvitationDecisionResponse.signatureRequired(statement: statement)
            }
            return InvitationDecisionResponse.done(Self.invitation, invitation: "AAAAAAAAAAAAAAAAAAAAAA", position: 9)
        case let list as ListInvitations:
            try await enter("invitations", ["company": list.company])
            return [Self.invitation]
        case let revoke as RevokeInvitation:
            try await enter(
                "revokeInvitation",
                ["company": revoke.company, "id": revoke.id, "signed": Self.text(revoke.signed)], call)
            return decision
        default: return nil
        }
    }

    private static func recovery(_ state: String, openedBy: String? = nil) -> RecoveryResponse {
        RecoveryResponse(
            employee: summary,
            subject: .init(tenantId: recoveryIds[0], userId: recoveryIds[1], employeeId: recoveryIds[2]),
            fingerprint: fingerprint, state: state, requestedAt: time, expiresAt: time, openedBy: openedBy,
            availableAt: openedBy == nil ? nil : time)
    }
}
