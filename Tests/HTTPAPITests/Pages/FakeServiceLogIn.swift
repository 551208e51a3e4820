import Canonical
import FoundationEssentials
import TenureAPI

@testable import IdentityService

extension FakeService {
    /// The value of the cookie of a browser that has just logged in.
    static let newCookie = "cookie-after-the-log-in"

    /// A flow of Acme's employee 7 at a step.
    static func view(
        _ step: FlowView.Step = .answers, purpose: FlowKind = .login, company: String = "Acme", employee: String = "7",
        questions count: Int = 5
    ) -> FlowView {
        FlowView(
            purpose: purpose, step: step, challenge: Array("challenge".utf8), companyName: company,
            companyEmployeeId: employee, employeePublicKey: [4],
            questions: (0..<count).map { QuestionResponse(questionId: "Q\($0)", question: "Question \($0)?") },
            rules: nil, expiresAt: time)
    }

    /// The outcome of a log-in whose session the fake service knows.
    static let success = FlowOutcomeResponse.success(
        SessionResponse(accessToken: token, expiresAt: time, refreshToken: "cg"),
        EmployeeSummaryResponse(
            employeeId: employeeId, tenantId: appId, companyName: "Acme", companyEmployeeId: "7", status: "active",
            role: "employee"), position: 9)

    /// The answer to a request of the log-in pages; `nil` for other requests.
    func logInAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let read as ReadFlow:
            try await enter(
                "readFlow",
                [
                    "flow": read.flow, "purpose": read.purpose.rawValue,
                    "visitor": read.visitor?.employeeId.lowercased ?? "",
                ], call)
            return view
        case let start as StartAddressLogin:
            let details = ["email": start.address, "client": start.client?.lowercased ?? ""]
            try await enter("startAddressLogin", details, call)
            return Self.started
        case let prove as ProveAddress:
            try await enter("proveAddress", ["flow": prove.flow], call)
            return AddressProof(accounts: 1)
        case let claim as ClaimAddress:
            try await enter("claimAddress", ["flow": claim.flow], call)
            return claimAnswer
        case let prove as ProveClaimedAddress:
            try await enter("proveClaimedAddress", ["flow": prove.flow, "code": prove.code], call)
            return claimAnswer
        case let pick as PickAccount:
            try await enter("pickAccount", ["employee": pick.employee.lowercased, "flow": pick.flow], call)
            return outcome
        case let take as TakeBrowserCookie:
            let details = ["form": take.form, "tenant": take.tenant.lowercased, "request": take.request]
            try await enter("takeBrowserCookie", details, call)
            return TakeBrowserCookie.Cookies(session: Self.newCookie, known: "known")
        case let choose as ChooseLanguage: return .some((choose.chosen ?? language ?? choose.shown) as any Sendable)
        case let choose as ChooseAccount:
            try await enter("chooseAccount", ["handle": choose.handle, "cookie": choose.cookie ?? ""], call)
            guard choose.handle == Self.handle else { return AuthorizationAnswer.fault(.expired) }
            return AuthorizationAnswer.redirect(Self.answer)
        default: return nil
        }
    }
}

extension ServiceError {
    /// The refusal of a log-in whose device key was refused or revoked.
    static var keyEnded: ServiceError { ServiceError(Denial.keyEnded) }
    /// The refusal of a log-in with one key too many.
    static var tooManyPendingKeys: ServiceError { ServiceError(Denial.tooManyPendingKeys) }
}

extension Recorder {
    /// The calls that the pages made, without the finding of their own app.
    var steps: [Entry] { work.filter { $0.name != "actAsPagesApp" } }
}
