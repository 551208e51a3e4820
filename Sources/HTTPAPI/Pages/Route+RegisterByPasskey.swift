import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `POST /flow/{flow}/passkey/challenge`: that of the new passkey, or of one of the account that is logged in.
    static let challengeNewPasskey = flow(.challengeNewPasskey, body: .form) { visit, flow in
        let exchange = visit.exchange
        guard exchange.isFromOwnPage else { return try visit.reply(.crossSite) }
        guard let page = try await FlowPage(visit, flow) else { return visit.goOn(in: flow) }
        let form = try? FormReader(exchange.body), handle = page.handle
        let key = (try? form?.text("key")).flatMap { Base64URL.decode($0) } ?? []
        do {
            let app = try await exchange.pagesApp()
            guard (try? form?.text("joining")) != nil else {
                return .passkeyChallenge(try await exchange.run(ChallengeNewPasskey(key: key, flow: handle, app: app)))
            }
            guard let caller = try await visit.session()?.browser.caller else { throw ServiceError(.sessionInvalid) }
            return .passkeyChallenge(
                try await exchange.run(ChallengeJoining(by: caller, key: key, flow: handle, app: app)))
        } catch let error as ServiceError {
            var reply = try visit.reply(.malformed)
            (reply.status, reply.code) = (error.code.status, error.code.rawValue)
            return reply
        }
    }

    /// `POST /flow/{flow}/passkey`: completes a registration. After a passkey that is refused the page is shown again.
    static let registerByPasskey = flow(.registerByPasskey, body: .form) { visit, flow in
        guard let page = try await FlowPage(visit, flow) else { return visit.goOn(in: flow) }
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
            return try await visit.refused(error) { _ in try await page.afterPasskey(.again) }
        }
        func bytes(_ name: String) -> [UInt8] { form.text(name).flatMap { Base64URL.decode($0) } ?? [] }
        let made = AddPasskey.Made(
            random: bytes("random"), authenticatorData: bytes("authenticator"), clientDataJSON: bytes("client"),
            spki: bytes("spki"))
        do {
            let app = try await visit.exchange.pagesApp(), signed = form.text("signed").map { _ in bytes("signed") }
            let caller = signed == nil ? nil : try await visit.session()?.browser.caller
            guard (signed == nil) == (caller == nil) else { throw ServiceError(.employeeKeyInvalid) }
            let register = RegisterByPasskey(
                made, proof: bytes("proof"),
                joining: caller.map {
                    SignedJoining(by: $0, challenge: bytes("challenge"), evidence: signed ?? [])
                }, flow: page.handle, app: app)
            return try await visit.go(on: try await visit.step(register, once: form.callKey), page, once: form.callKey)
        } catch let error as ServiceError {
            guard error.code == .employeeKeyInvalid else { return try page.ending(error) }
            let problem = FieldProblem(field: .form, word: "passkey.failed", status: error.code.status)
            var reply = try await page.afterPasskey(problem)
            reply.code = error.code.rawValue
            return reply
        }
    }
}

extension Reply {
    /// A challenge, as the modules about passkeys read it.
    static func passkeyChallenge(_ challenge: [UInt8]) -> Reply {
        var reply = Reply.text(Base64URL.encode(challenge), "text/plain; charset=utf-8")
        reply.headers["Cache-Control"] = "no-store"
        return reply
    }
}

extension FlowPage {
    /// The page of the step after a passkey that was refused.
    fileprivate func afterPasskey(_ problem: FieldProblem) async throws -> Reply {
        do {
            let view = try await view()
            guard view.page != .showCredentials else {
                return try await credentialsPage(CredentialsPage.Input(), [problem])
            }
            var reply = try passphrasePage(view, problem)
            reply.status = problem.status
            return reply
        } catch let error as ServiceError {
            return try ending(error)
        }
    }

    /// The button that completes a registration with a passkey; `nil` where none may.
    func newPasskey(_ view: FlowView, _ visitor: VisitorKey) -> NewCredentialsContent.Passkey? {
        view.passkey.map { passkey in
            NewCredentialsContent.Passkey(
                rp: passkey.rpID, service: PageFrame.current.brand.brand.name,
                handle: Base64URL.encode(passkey.handle), account: "\(view.companyEmployeeId) – \(view.companyName)",
                challengePath: Endpoint.challengeNewPasskey.path(in: flow), isOnly: view.rules?.blindOnly == true,
                signers: passkey.signers.isEmpty
                    ? nil : passkey.signers.map { Base64URL.encode($0) }.joined(separator: " "),
                form: visit.form(of: .registerByPasskey, visitor), script: PageAsset.withpasskey.path)
        }
    }
}
