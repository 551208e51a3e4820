import Canonical
import ErrorCodes
import FoundationEssentials
import IdentityService
import TenureAPI

extension Route {
    /// `GET /login/address`, and for a flow.
    static let showLogInByAddress = beginning(.showLogInByAddress) { visit in
        let pending = try await visit.pending()
        return try visit.beyondLogIn(pending) ?? LogInByAddressPage(visit, pending).reply()
    }

    /// `POST /login/address`, and for a flow.
    static let beginLogInByAddress = beginning(.beginLogInByAddress, body: .form) { visit in
        let pending = try await visit.pending()
        if let beyond = visit.beyondLogIn(pending) { return beyond }
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
            return try await visit.refused(error) { typed in
                var page = LogInByAddressPage(visit, pending, typed)
                page.add("form.again", at: "form")
                page.status = 403
                return try page.reply()
            }
        }
        var page = LogInByAddressPage(visit, pending, form.fields)
        if page.email.isBlank { page.add("login.addressMissing", at: "email") }
        let key = form.text("key").flatMap { Base64URL.decode($0) }
        if key == nil { page.add("login.noKey", at: "form") }
        guard page.problems.isEmpty, let key else {
            page.status = 400
            return try page.reply()
        }
        do {
            let start = StartAddressLogin(
                address: page.email, employeePublicKey: key, client: pending?.client,
                app: try await visit.exchange.pagesApp())
            return visit.start(try await visit.step(start, once: form.callKey), .address)
        } catch let error as ServiceError {
            try page.add(error)
            return try page.reply()
        }
    }

    /// `GET /flow/{flow}/account`.
    static let showPick = step(.showPick, where: { $0.step == .account }) { page, view in
        let visit = page.visit, language = page.language, visitor = visit.visitor
        let hidden = visit.form(of: .pickAccount, visitor)
        let accounts = view.accounts.map { account -> PageContent in
            let name = PageWord("flow.account").text(in: language, account.companyEmployeeId, account.companyName)
            let content: PageContent = [
                "challenge": .text(Base64URL.encode(account.challenge)), "address": .text(view.address ?? ""),
                "company": .text(account.companyName), "employee": .text(account.companyEmployeeId),
                "id": .text(account.employeeId.lowercased), "label": .text(name),
            ]
            return content.merging(hidden)
        }
        let content: PageContent = [
            "accounts": .list(accounts), "againPath": .text(page.againPath),
            "addressPath": .text(page.path(.showLogInByAddress)),
            "module": .text(PageAsset.pick.path),
        ]
        let words = PageContent(
            [
                ("needsScript", "page.needsScript"), ("text", "pick.text"), ("keyMissing", "flow.keyMissing"),
                ("known", "pick.known"), ("byAddress", "login.byAddress"), ("again", "ending.again"),
            ], in: language)
        return try HostedPage(
            template: .pick, language: language, title: PageWord("pick.title").text(in: language),
            content: content.merging(words)
        ).reply(visitor)
    }

    /// `POST /flow/{flow}/account`.
    static let pickAccount = take(.pickAccount) { form, page, app in
        guard let account = form.text("account").flatMap({ UUID(lowercased: $0) }) else {
            throw ServiceError(.flowWrongStep)
        }
        let proof = form.text("proof").flatMap { Base64URL.decode($0) } ?? []
        return PickAccount(account, proof: proof, flow: page.handle, app: app)
    }

    /// The routes of a log-in by an address.
    static var ofLogInByAddress: [Route] { showLogInByAddress + beginLogInByAddress + [showPick, pickAccount] }
}
