import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Endpoint {
    static let issuePasskeyChallenge = Endpoint(
        page: "POST", "/passkey/challenge", "Give a page what a passkey signs next")
    static let logInByPasskey = Endpoint(page: "POST", "/passkey/login", "Log a person in with a passkey")
    static let showPasskeyEndpoints = Endpoint(
        page: "GET", "/.well-known/passkey-endpoints", "Tell password managers where passkeys are made and removed")
}

extension Route {
    /// `GET /.well-known/passkey-endpoints` (W3C, Passkey Endpoints).
    static let showPasskeyEndpoints = Route(page: .showPasskeyEndpoints) { exchange in
        let devices = JSONValue.string(exchange.publicURL + Endpoint.showDevices.template.text)
        return Reply(
            headers: ["Content-Type": "application/json"],
            body: JSONValue.object(["enroll": devices, "manage": devices]).canonicalBytes())
    }

    static let issuePasskeyChallenge = Route(page: .issuePasskeyChallenge, body: .optionalForm) { exchange in
        try await PageVisit(exchange: exchange).passkeyChallenge()
    }

    /// `POST /passkey/login`, by itself and for a flow of the browser. The browser comes back to the log-in's page with
    /// a sentence that says what is wrong: for a passkey that nobody has the same as for a wrong proof.
    static let logInByPasskey = beginning(.logInByPasskey, body: .form) { visit in
        var page = try await LogInPage(.address, visit)
        if let instead = page.instead { return instead }
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
            return try await visit.refused(error) { _ in try await page.reply(page.known, [.again]) }
        }
        func bytes(_ name: String) -> [UInt8] { form.text(name).flatMap { Base64URL.decode($0) } ?? [] }
        let proof = LogInByPasskey.Proof(
            credential: bytes("credential"), user: bytes("user"), challenge: bytes("challenge"),
            evidence: bytes("proof"))
        do {
            let app = try await visit.exchange.pagesApp(), visitor = visit.visitor.value
            if form.text("with") == "secret" {
                let start = StartLoginByPasskey(proof, visitor: visitor, app: app)
                return visit.start(try await visit.step(start, once: form.callKey), .login)
            }
            let outcome = try await visit.step(
                LogInByPasskey(proof, visitor: visitor, app: app), once: form.callKey)
            guard case .success(_, let employee, _) = outcome else {
                var reply = try await page.reply(page.known, [FieldProblem(field: .form, word: "passkey.waits")])
                reply.login = .authorizationPending
                return reply
            }
            let flow = visit.flow ?? BrowserFlow(at: visit.exchange.call.time)
            var reply = try await visit.enter(employee, once: form.callKey, after: flow)
            reply.login = .success
            return reply
        } catch let error as ServiceError {
            guard let problem = FieldProblem(passkey: error) else { throw error }
            if error.isAboutEndedKey { page.ended = form.text("credential") }
            var reply = try await page.reply(page.known, [problem])
            (reply.code, reply.login) = (error.code.rawValue, .refused)
            return reply
        }
    }
}

extension PageVisit {
    /// What a passkey of the page signs next.
    ///
    /// - Parameter owner: Who adds the passkey; `nil` for a log-in.
    func passkeyChallenge(addedBy owner: EmployeeCaller? = nil) async throws -> Reply {
        guard exchange.isFromOwnPage else { return try reply(.crossSite) }
        let app = try await exchange.pagesApp(), visitor = visitor
        let challenge = try await exchange.run(
            IssuePasskeyChallenge(addedBy: owner, visitor: visitor.value, app: app))
        var reply = Reply.passkeyChallenge(challenge)
        if let setting = visitor.setting { reply.cookies.append(setting) }
        return reply
    }
}

extension FieldProblem {
    /// Why a passkey logs nobody in; `nil` for a refusal that is not about it.
    fileprivate init?(passkey error: ServiceError) {
        let word: PageWord
        switch error.code {
        case .employeeKeyInvalid, .employeeInactive: word = "passkey.unknown"
        case .flowExpired, .flowAlreadyUsed: word = "passkey.logInFailed"
        case .employeeNotApproved: word = "passkey.notApproved"
        case .passkeyStopped: word = "passkey.stopped"
        case .authorizationNotPermitted: word = error.members.isEmpty ? "passkey.secretToo" : "passkey.unknown"
        default: return nil
        }
        self.init(field: .form, word: word, status: error.code.status)
    }
}
