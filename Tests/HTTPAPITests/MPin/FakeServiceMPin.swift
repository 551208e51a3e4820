import Canonical
import TenureAPI

@testable import IdentityService

extension Samples {
    /// The body of an endpoint of M-Pin that needs one; `nil` for other endpoints.
    static func mpinBody(_ endpoint: Endpoint) -> String? {
        switch endpoint {
        case .startMPin:
            #"{"userId":"Zoe@a.example","mobile":1,"deviceName":"Phone","userData":"","activateCode":"012345"}"#
        case .restartMPin: #"{"userId":"Zoe@a.example","mobile":1,"regOTT":"\#(FakeService.mpinToken)"}"#
        case .activateMPin: #"{"activateKey":"\#(String(repeating: "ab", count: 32))"}"#
        case .finishMPin: #"{"mpinId":"7b7d"}"#
        case .startMPinProof: #"{"mpin_id":"7b7d","U":"04ab","UT":"","pass":1}"#
        case .proveMPin: #"{"mpin_id":"7b7d","V":"04ab","handle":"aA","WID":"0","OTP":false,"pass":2}"#
        case .redeemMPinProof: #"{"mpinResponse":{"authOTT":"b3R0","pass":2,"version":"0.3"}}"#
        case .logInByMPin: #"{"authOTT":"b3R0"}"#
        case .linkMPin: #"{"regOTT":"\#(FakeService.mpinToken)"}"#
        case .revokeMPin: #"{"reason":"lost.device"}"#
        case .issueMPinActivation: #"{"userId":"Zoe@a.example","subjectSalt":"BAE="}"#
        case .changeMPinPolicy:
            #"{"enabled":true,"verification":"application","maximumFailures":3,"opensSessions":true}"#
        default: nil
        }
    }
}

extension FakeService {
    static let mpinToken = String(repeating: "0a", count: 16)

    private static let registration = MPinRegistrationResponse(
        mpinId: "7b7d", regOTT: mpinToken, expireTime: time.description.prefix(19) + "Z",
        nowTime: time.description.prefix(19) + "Z", active: false, identityId: appId)

    /// The answer to a request of the M-Pin protocol or about its identities; `nil` for other requests.
    func mpinAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let settings as ReadMPinSettings:
            try await enter("mpinSettings", ["company": settings.company], call)
            return MPinSettingsView(
                tenantID: Self.appId, clientURL: "https://dta.example/", suite: "BLS12381-AMCL3-SHA256")
        case let start as StartMPinRegistration:
            try await enter(
                "startMPin",
                [
                    "company": start.company, "userId": start.userID, "deviceName": start.deviceName ?? "none",
                    "activationCode": start.activationCode ?? "none",
                ], call)
            return Self.registration
        case let restart as RestartMPinRegistration:
            try await enter(
                "restartMPin",
                [
                    "company": restart.company, "mpinId": restart.mpinID, "token": restart.token,
                    "userId": restart.userID,
                ], call)
            return Self.registration
        case let link as VerifyMPinByMail:
            try await enter("verifyMPinByMail", ["company": link.company, "confirmed": "\(link.isConfirmed)"], call)
            return MPinLinkView(companyName: "Acme", isVerified: link.isConfirmed)
        case let confirm as ConfirmMPinRegistration:
            try await enter(
                "confirmMPin", ["company": confirm.company, "mpinId": confirm.mpinID, "token": confirm.token], call)
            return MPinClientKeyOffer(share: [4, 1], query: "a=b", suite: "BLS12381-AMCL3-SHA256", epoch: 1)
        default: return try await mpinProofAnswer(to: request, call)
        }
    }

    private func mpinProofAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let start as StartMPinProof:
            try await enter(
                "startMPinProof",
                ["company": start.company, "mpinId": start.mpinID, "commitment": start.commitment], call)
            return MPinChallengeOffer(challenge: [UInt8](repeating: 7, count: 32), handle: "aA")
        case let prove as ProveMPin:
            try await enter(
                "proveMPin",
                [
                    "company": prove.company, "mpinId": prove.mpinID, "response": prove.response,
                    "handle": prove.handle ?? "none",
                ], call)
            return "b3R0"
        case let redeem as RedeemMPinProof:
            try await enter("redeemMPinProof", ["company": redeem.company, "token": redeem.token], call)
            return MPinAuthenticationResponse(
                userId: "Zoe@a.example", foldedUserId: "zoe@a.example", mpinId: "7b7d", identityId: Self.appId,
                verifiedBy: "email",
                employee: Self.summary)
        case let login as LogInByMPin:
            try await enter("logInByMPin", ["flow": login.flow, "token": login.token], call)
            return outcome
        default: return try await mpinDecisionAnswer(to: request, call)
        }
    }

    private func mpinDecisionAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let decide as DecideMPin:
            try await enter(
                "decideMPin",
                ["action": "\(decide.action)", "company": decide.company, "identity": decide.identity], call)
            return decision
        case let link as LinkMPin:
            try await enter(
                "linkMPin", ["company": link.company, "identity": link.identity, "token": link.request.regOTT], call)
            return decision
        case let issue as IssueMPinActivation:
            try await enter("issueMPinActivation", ["company": issue.company, "userId": issue.request.userId], call)
            if case .signatureRequired(let statement) = decision {
                return MPinActivationResponse.signatureRequired(statement: statement)
            }
            return MPinActivationResponse.done(
                activationId: Self.appId, code: "012345", expiresAt: Self.time, position: 9)
        case let change as ChangeMPinPolicy:
            try await enter("changeMPinPolicy", ["company": change.company], call)
            return decision
        case let policy as ReadMPinPolicy:
            try await enter("mpinPolicy", ["company": policy.company], call)
            return MPinPolicyResponse(
                enabled: true, verification: "email", maximumFailures: 3, opensSessions: false, version: 3)
        default: return nil
        }
    }
}
