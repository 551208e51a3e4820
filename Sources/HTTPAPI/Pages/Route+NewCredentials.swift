import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `GET /flow/credentials`.
    static let showCredentials = Route(page: .showCredentials) { exchange in
        try await PageVisit(exchange: exchange).show(where: { $0.step == .credentials }) { page, view in
            if view.rules?.blindOnly == true { return try page.ending(ServiceError(.policyBlindOnly)) }
            return try page.credentialsPage(view, CredentialsPage.Input(), [])
        }
    }

    /// `POST /flow/credentials`: completes a registration or a recovery.
    static let chooseCredentials = Route(page: .chooseCredentials, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        guard let flow = form.flow else { return try visit.reply(.malformed) }
        let page = try await FlowPage(visit, flow), input = CredentialsPage.Input(form.fields)
        var problems = input.missing
        if problems.isEmpty {
            do {
                return try await page.complete(input.request, once: form.callKey)
            } catch let error as ServiceError {
                problems = CredentialsProblem.all(error)
                if problems.isEmpty { return try page.ending(error) }
            }
        }
        do {
            return try page.credentialsPage(try await page.view(), input, problems)
        } catch let error as ServiceError {
            return try page.ending(error)
        }
    }
}

extension FlowPage {
    /// The form for new credentials.
    fileprivate func credentialsPage(
        _ view: FlowView, _ input: CredentialsPage.Input, _ problems: [CredentialsProblem]
    ) throws -> Reply {
        let visitor = visit.visitor
        var page = CredentialsPage(view: view, language: language).page(
            input, problems, hidden: visit.hiddenFields(of: .chooseCredentials, subject: flow.text, visitor))
        page.clientOrigin = pending?.origin
        var reply = try page.reply(visitor)
        // Another tab may have begun another flow since.
        if !problems.isEmpty { reply.cookies.append(visit.flowCookie.setting(flow)) }
        return reply
    }

    /// Sets the credentials, and goes where the outcome leads.
    fileprivate func complete(_ request: CredentialsRequest, once key: String) async throws -> Reply {
        let app = try await visit.exchange.pagesApp()
        switch flow.purpose {
        case .registration:
            let set = SetCredentials(request, flow: flow.flow, app: app)
            return try await visit.go(on: try await visit.step(set, once: key), flow, once: key)
        case .recovery:
            let outcome = try await visit.step(RecoverCredentials(request, flow: flow.flow, app: app), once: key)
            // Here the new key waits. At the key step it is the recovery that waits, which is another page.
            guard case .authorizationPending = outcome else { return try await visit.go(on: outcome, flow, once: key) }
            return try await visit.wait(outcome, flow)
        case .login, .address, .change, .returning: throw ServiceError(.flowWrongStep)
        }
    }
}
