import Canonical
import ErrorCodes
import FoundationEssentials
import IdentityService
import TenureAPI

extension Route {
    /// `GET /login/address`.
    static let showLogInByAddress = Route(page: .showLogInByAddress) { exchange in
        let visit = PageVisit(exchange: exchange), request = visit.requestOfQuery ?? ""
        let pending = try await visit.pending(request)
        guard request.isEmpty || pending?.isAboutLogIn == true else { return exchange.goingOn(with: request) }
        return try LogInByAddressPage(visit, request: request, pending).reply()
    }

    /// `POST /login/address`.
    static let beginLogInByAddress = Route(page: .beginLogInByAddress, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        let request = form.subject, pending = try await visit.pending(request)
        guard request.isEmpty || pending?.isAboutLogIn == true else { return exchange.goingOn(with: request) }
        var page = LogInByAddressPage(visit, request: request, pending)
        page.email = form.text("email") ?? ""
        if page.email.isBlank { page.add(.loginAddressMissing, at: "email") }
        let key = form.text("key").flatMap { Base64URL.decode($0) }
        if key == nil { page.add(.loginNoKey, at: "form") }
        guard page.problems.isEmpty, let key else {
            page.status = 400
            return try page.reply()
        }
        do {
            let start = StartAddressLogin(
                address: page.email, employeePublicKey: key, client: pending?.client,
                app: try await exchange.pagesApp())
            return visit.start(try await visit.step(start, once: form.callKey), .address, request: request)
        } catch let error as ServiceError {
            try page.add(error)
            return try page.reply()
        }
    }

    /// `GET /flow/account`.
    static let showPick = Route(page: .showPick) { exchange in
        let visit = PageVisit(exchange: exchange)
        return try await visit.show(where: { $0.step == .account }) { page, view in
            let language = page.language, visitor = visit.visitor
            let hidden = visit.hiddenFields(of: .pickAccount, subject: page.flow.text, visitor)
            let accounts = view.accounts.map { account -> PageContent in
                let name = PageWord.flowAccount.text(in: language, account.companyEmployeeId, account.companyName)
                let content: PageContent = [
                    "challenge": .text(Base64URL.encode(account.challenge)), "address": .text(view.address ?? ""),
                    "company": .text(account.companyName), "employee": .text(account.companyEmployeeId),
                    "id": .text(account.employeeId.lowercased), "label": .text(name),
                ]
                return content.merging(hidden)
            }
            let content: PageContent = [
                "accounts": .list(accounts), "againPath": .text(page.againPath),
                "addressPath": .text(page.path(Endpoint.showLogInByAddress.template.text)),
                "module": .text(PageAsset.pick.path),
            ]
            let words = PageContent(
                [
                    ("needsScript", .pageNeedsScript), ("text", .pickText), ("keyMissing", .flowKeyMissing),
                    ("known", .pickKnown), ("byAddress", .loginByAddress), ("again", .endingAgain),
                ], in: language)
            return try HostedPage(
                template: .pick, language: language, title: PageWord.pickTitle.text(in: language),
                content: content.merging(words), clientOrigin: page.pending?.origin
            ).reply(visitor)
        }
    }

    /// `POST /flow/account`.
    static let pickAccount = Route(page: .pickAccount, body: .form) { exchange in
        try await PageVisit(exchange: exchange).take { form, flow, app in
            guard let account = form.text("account").flatMap({ UUID(lowercased: $0) }) else {
                throw ServiceError(.flowWrongStep)
            }
            let proof = form.text("proof").flatMap { Base64URL.decode($0) } ?? []
            return PickAccount(account, proof: proof, flow: flow.flow, app: app)
        }
    }

    /// The routes of a log-in by an address.
    static var ofLogInByAddress: [Route] { [showLogInByAddress, beginLogInByAddress, showPick, pickAccount] }
}
