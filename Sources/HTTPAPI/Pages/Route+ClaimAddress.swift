import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `GET /flow/{flow}/address`: who meets the questions of somebody else says so here.
    static let showClaim = step(.showClaim, where: { $0.claim != nil }) { try $0.claimPage($1) }

    /// `POST /flow/{flow}/address`: sends the mail with the code.
    static let claimAddress = takeForm(.claimAddress) { _, page, app in
        do {
            let languages = page.visit.languages
            let claim = ClaimAddress(flow: page.handle, app: app, languages: languages)
            switch try await page.visit.exchange.run(claim) {
            case .proved: return .seeOther(Endpoint.showCredentials.path(in: page.flow))
            case .kept: return try await page.claimPage(about: .send, "claim.kept")
            case .awaited, .wrong: return .seeOther(Endpoint.showClaim.path(in: page.flow))
            }
        } catch let error as ServiceError where error.code == .mailUnavailable {
            return try await page.claimPage(about: .send, "address.noMail", status: error.code.status)
        }
    }

    /// `POST /flow/{flow}/address/code`: takes the code in the browser that claims the address.
    static let proveClaim = takeForm(.proveClaim) { form, page, app in
        guard let code = form.text("code") else { return try await page.claimPage(about: .code, "wait.codeMissing") }
        func refused(_ word: PageWord, _ values: String...) async throws -> Reply {
            try await page.claimPage(about: .code, word, values, entered: code)
        }
        switch try await page.visit.exchange.run(ProveClaimedAddress(code: code, flow: page.handle, app: app)) {
        case .proved: return .seeOther(Endpoint.showCredentials.path(in: page.flow))
        case .kept: return try await refused("claim.kept")
        case .awaited: return .seeOther(Endpoint.showClaim.path(in: page.flow))
        case .wrong(triesLeft: 0): return try await refused("claim.codeOver")
        case .wrong(let left): return try await refused("wait.codeWrong", "\(left)")
        }
    }
}

extension FlowPage {
    /// The path of the page where somebody claims the address; `nil` in a flow that is no registration.
    func claimPath(_ view: FlowView) -> String? { view.claim.map { _ in Endpoint.showClaim.path(in: flow) } }

    /// The page again, with what is wrong with an input.
    fileprivate func claimPage(
        about field: FieldProblem.Field, _ word: PageWord, _ values: [String] = [], entered: String = "",
        status: Int = 403
    ) async throws -> Reply {
        var reply = try claimPage(
            try await view(), FieldProblem(field: field, word: word, values: values, status: status),
            entered: entered)
        reply.status = status
        return reply
    }

    /// The page: the button that sends a mail, and then the form for its code.
    fileprivate func claimPage(_ view: FlowView, _ problem: FieldProblem? = nil, entered: String = "") throws -> Reply {
        guard let claim = view.claim else { return .seeOther(view.step.page.path(in: flow)) }
        let visitor = visit.visitor, left = claim.triesLeft
        let content = ClaimContent(
            problems: FieldProblems(problem.map { [$0] } ?? [], in: language), address: claim.address,
            send: left == nil
                ? ClaimContent.Send(
                    isProved: claim.isProved, form: visit.form(of: .claimAddress, visitor)) : nil,
            code: left.map { left in
                ClaimContent.Code(
                    hint: language.text("wait.codeHint", "\(left)"), entered: entered,
                    form: visit.form(of: .proveClaim, visitor))
            },
            backPath: view.step.page.path(in: flow))
        return try HostedPage(content, "claim.title", in: language).reply(visitor)
    }
}

/// The page where somebody claims the address that they register with, which another account has.
struct ClaimContent: PageContent {
    static let template: PageTemplate = "claim"

    struct Send: PagePart {
        let isProved: Bool
        let form: FormPart
    }

    struct Code: PagePart {
        let hint: String
        /// The code that was typed and refused.
        let entered: String
        let form: FormPart
    }

    let problems: FieldProblems?
    let address: String
    let send: Send?
    let code: Code?
    let backPath: String
}
