import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    static let showCredentials = step(.showCredentials, where: { $0.page == .showCredentials }) { page, view in
        if view.rules?.blindOnly == true, view.passkey == nil { return try page.ending(ServiceError(.policyBlindOnly)) }
        return try page.credentialsPage(view, CredentialsPage.Input(replacing: view.questions), [])
    }

    /// `POST /flow/{flow}/credentials`: completes a registration, a recovery or a change.
    static let chooseCredentials = flow(.chooseCredentials, body: .form) { visit, flow in
        guard let page = try await FlowPage(visit, flow) else { return visit.goOn(in: flow) }
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
            return try await visit.refused(error) { typed in
                let input = CredentialsPage.Input(typed).withoutSecrets
                return try await page.credentialsPage(input, [.again])
            }
        }
        let input = CredentialsPage.Input(form.fields)
        var problems = input.missing
        if page.purpose == .change, let missing = input.secretMissing, try await !page.setsFirstSecret() {
            problems.insert(missing, at: 0)
        }
        if problems.isEmpty {
            do {
                return try await page.complete(input, once: form.callKey)
            } catch let error as ServiceError {
                let secret =
                    page.purpose != .change ? [] : [input.current == nil ? FieldProblem.Field.answers : .current]
                problems = FieldProblem.all(error, of: secret + CredentialsPage.fields)
                    .map { $0.saying(until: error, in: page.language) }
                if problems.isEmpty { return try page.ending(error) }
            }
        }
        return try await page.credentialsPage(input, problems)
    }
}

extension FlowPage {
    /// The form for new credentials, with its problems.
    func credentialsPage(
        _ input: CredentialsPage.Input, _ problems: [FieldProblem]
    ) async throws -> Reply {
        do {
            return try credentialsPage(try await view(), input, problems)
        } catch let error as ServiceError {
            return try ending(error)
        }
    }

    /// The form for new credentials.
    fileprivate func credentialsPage(
        _ view: FlowView, _ input: CredentialsPage.Input, _ problems: [FieldProblem]
    ) throws -> Reply {
        let visitor = visit.visitor, form = visit.form(of: .chooseCredentials, visitor)
        let passkey = newPasskey(view, visitor)
        let (page, told) = CredentialsPage(view: view, language: language).page(input, problems, form, passkey: passkey)
        return try visit.reply(page, told, form, visitor)
    }

    /// Whether the flow asks for no secret in force. One that is over says so later.
    fileprivate func setsFirstSecret() async throws -> Bool { (try? await view())?.setsFirstSecret == true }

    /// Sets the credentials, and goes where the outcome leads.
    fileprivate func complete(_ input: CredentialsPage.Input, once key: String) async throws -> Reply {
        let app = try await visit.exchange.pagesApp(), request = input.request
        switch purpose {
        case .registration:
            let set = SetCredentials(request, displayName: input.displayName, flow: handle, app: app)
            return try await visit.go(on: try await visit.step(set, once: key), self, once: key)
        case .recovery:
            let outcome = try await visit.step(RecoverCredentials(request, flow: handle, app: app), once: key)
            // Here the new key waits. At the key step it is the recovery that waits, which is another page.
            guard case .authorizationPending = outcome else { return try await visit.go(on: outcome, self, once: key) }
            return try await visit.wait(self)
        case .change:
            return try await change(input, by: input.secret, once: key)
        case .login, .address, .returning: throw ServiceError(.flowWrongStep)
        }
    }
}

extension CredentialsPage.Input {
    /// The chosen questions alone.
    fileprivate var withoutSecrets: CredentialsPage.Input {
        var other = CredentialsPage.Input()
        other.questions = questions
        other.both = both
        other.displayName = displayName
        return other
    }
}
