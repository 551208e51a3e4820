import Canonical
import TenureAPI

@testable import IdentityService

extension FakeService {
    static let started = FlowStartedResponse(
        flow: "Zmxvdw", challenge: Array("challenge".utf8), subjectSalt: [7], expiresAt: time)
    static let tokens = SessionResponse(accessToken: "YQ", expiresAt: time, refreshToken: "cg")

    /// The answer to a step of a flow; `nil` for other requests.
    func flowAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let start as StartRegistration:
            try await enter(
                "startRegistration",
                [
                    "companyName": start.request.companyName, "companyEmployeeId": start.request.companyEmployeeId,
                    "email": start.request.email, "owned": "\(start.request.isCompanyOwnedEmail)",
                    "key": Hex.encode(start.request.employeePublicKey),
                    "intent": start.request.intent?.rawValue ?? "none",
                ], call)
            return Self.started
        case let start as StartLogin:
            let names: [FlowKind: String] = [
                .login: "startLogin", .change: "startChange", .recovery: "startRecovery",
                .returning: "startReturn",
            ]
            try await enter(
                names[start.purpose] ?? "",
                [
                    "companyName": start.request.companyName, "companyEmployeeId": start.request.companyEmployeeId,
                ], call)
            return Self.started
        case let key as ProveKey:
            try await enter(
                "proveKey", ["purpose": key.purpose.rawValue, "flow": key.flow, "proof": Hex.encode(key.proof)], call)
            return outcome
        default: return try await credentialAnswer(to: request, call)
        }
    }

    private func credentialAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let set as SetCredentials:
            let new = set.credentials
            try await enter(
                "setCredentials",
                [
                    "flow": set.flow, "passphrase": new.passphrase ?? "none",
                    "questions": new.securityQuestions.map { "\($0.choice.name)=\($0.answer)" }
                        .joined(separator: "|"),
                    "both": "\(new.questionsWithPassphrase)", "name": set.displayName ?? "",
                ], call)
            return outcome
        case let change as ChangeInDirectMode:
            let current =
                switch change.current {
                case .answers(let answers): "\(answers.count) answers"
                case .passphrase: "passphrase"
                case nil: "none"
                }
            try await enter("changeCredentials", ["flow": change.flow, "current": current], call)
            return outcome
        case let recover as RecoverCredentials:
            try await enter(
                "recoverCredentials",
                ["flow": recover.flow, "questions": "\(recover.credentials.securityQuestions.count)"], call)
            return outcome
        case let validate as ValidateCredential:
            let common = ["purpose": validate.purpose.rawValue, "flow": validate.flow]
            switch validate.secret {
            case .answers(let answers):
                let text = answers.map { "\($0.questionId)=\($0.answer)" }.joined(separator: "|")
                try await enter("validateAnswers", common.merging(["answers": text]) { $1 }, call)
            case .passphrase(let text):
                try await enter("validatePassphrase", common.merging(["passphrase": text]) { $1 }, call)
            }
            return outcome
        case let evaluate as EvaluateElements:
            let text = evaluate.elements.map { "\($0.slot)=\(Hex.encode($0.element))" }.joined(separator: "|")
            try await enter(
                "evaluate", ["purpose": evaluate.purpose.rawValue, "flow": evaluate.flow, "elements": text], call)
            return EvaluationsResponse(
                evaluations: evaluate.elements.map { .init(slot: $0.slot, evaluation: [1, 2], sealedCopy: [3]) })
        case let prove as ProveCredential:
            let new = prove.proof.credentials
            let questions = new?.questions.map { "\($0.choice.name)=\(Hex.encode($0.salt))" } ?? []
            try await enter(
                "prove",
                [
                    "purpose": prove.purpose.rawValue, "flow": prove.flow,
                    "signature": Hex.encode(prove.proof.userSignature),
                    "record": new.map { Hex.encode($0.record) } ?? "none",
                    "questions": questions.joined(separator: "|"),
                ], call)
            return outcome
        default: return nil
        }
    }

    /// A grant of a client.
    private static let grant = GrantResponse(
        grantId: appId, clientId: appId, clientName: "Wiki", scopes: ["openid"], openedAt: time, usedAt: time,
        expiresAt: time, isLasting: true)

    /// The answer to a request about the caller's own session or devices; `nil` for other requests.
    func sessionAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        let session = OpenSessionResponse(
            sessionId: Self.employeeId, fingerprint: Self.fingerprint, createdAt: Self.time, expiresAt: Self.time,
            isCurrent: true)
        switch request {
        case let refresh as RefreshSession:
            try await enter("refreshSession", ["token": refresh.refreshToken], call)
            return Self.tokens
        case is CloseSession:
            try await enter("closeSession", [:], call)
            return ()
        case is ListSessions:
            try await enter("sessions")
            return [session]
        case is ListOwnGrants:
            try await enter("grants")
            return [Self.grant]
        case let list as ListEmployeeGrants:
            try await enter("employeeGrants", ["company": list.company, "employee": list.companyEmployeeId], call)
            return [Self.grant]
        case let end as EndOwnGrant:
            try await enter("endGrant", ["grant": end.grant], call)
            return ()
        case is EndOwnSessions:
            try await enter("endSessions", [:], call)
            return ()
        case is ReadMe:
            try await enter("me")
            return MeResponse(
                tenantId: Self.employeeId, employeeId: Self.employeeId,
                companyName: "Acme", companyEmployeeId: "7", status: "active", role: "admin",
                emailVerified: isEmailVerified,
                session: MeResponse.Session(
                    sessionId: session.sessionId, fingerprint: session.fingerprint, role: sessionRole,
                    createdAt: session.createdAt, expiresAt: session.expiresAt),
                app: MeResponse.App(appId: Self.appId, name: "app"),
                notices: [NoticeResponse(type: "recovery.opened", openedAt: Self.time)])
        case is VerifyMyEmail:
            try await enter("verifyMyEmail", [:], call)
            return VerifyMyEmail.Answer.sent
        case is ConfirmEmail:
            try await enter("confirmEmail", [:], call)
            return emailLink
        case is ReadNotices:
            try await enter("notices")
            return [NoticeResponse]()
        case is ListDevices:
            try await enter("devices")
            return [
                DeviceResponse(
                    fingerprint: Self.fingerprint, employeePublicKey: [4], state: "authorized", isCurrent: true,
                    presentedAt: Self.time, authorizedAt: Self.time, endedAt: nil, lastUsedAt: Self.time,
                    authorizedBy: DeviceResponse.Authorizer(kind: "app", appId: Self.appId))
            ]
        default: return nil
        }
    }
}

extension QuestionChoice {
    /// The text, or number and version of a listed question.
    var name: String {
        switch self {
        case .text(let text): text
        case .listed(let number, let version): "#\(number)" + (version.map { "v\($0)" } ?? "")
        }
    }
}
