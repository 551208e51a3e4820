import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer

extension Route {
    /// `GET /account/decision`: what is signed, in words. Any other way than from the list leads to the list, because any
    /// site can send a browser here.
    static let showDecision = account(.showDecision) { account in
        guard let fields = try? FormReader(account.exchange.rawQuery.utf8),
            let request = try? fields.text("request"), let decision = DecisionPage(fingerprint: request, fields)
        else { return try account.visit.reply(.malformed) }
        guard decision.mayShow(account) else { return .seeOther(decision.listPath) }
        return try await account.ask(decision, try await account.me())
    }

    /// `POST /account/decision`, with the signature of the browser's device key.
    static let makeDecision = accountForm(.makeDecision) { account, form in
        guard let decision = DecisionPage(fingerprint: form.request, form.fields) else {
            return try account.visit.reply(.malformed)
        }
        let me = try await account.me(), signed = form.signed, isQuestion = decision.action.asksForWords
        guard
            try await decision.form(account, isAnswered: isQuestion && signed != nil).takes(
                form.fields, account.exchange)
        else { return .seeOther(decision.listPath) }
        guard let signed else {
            return isQuestion ? try await account.answer(decision, form, me) : try account.visit.reply(.malformed)
        }
        do {
            let response = try await decision.decide(signed, by: account, me)
            guard case .done(let employee, let position) = response else { return try await account.ask(decision, me) }
            return .seeOther(decision.donePath(employee, position, for: account, me))
        } catch let error as ServiceError {
            guard let problem = AccountProblem(error) else { throw error }
            return try await account.ask(decision, me, problem)
        }
    }

    static let showRecovery = account(.showRecovery) { account in
        guard account.recoveryForm.mayShow(account.exchange) else {
            return .seeOther(Endpoint.showAccount.template.text)
        }
        return try await account.askRecovery(try await account.me())
    }

    /// `POST /account/recovery`: cancels the recovery that is open for the account.
    static let cancelOwnRecovery = accountForm(.cancelOwnRecovery) { account, form in
        let me = try await account.me()
        guard let signed = form.signed, try await account.recoveryForm.takes(form.fields, account.exchange) else {
            return .seeOther(Endpoint.showAccount.template.text)
        }
        do {
            let response = try await account.exchange.run(CancelOwnRecovery(signed: signed, caller: account.caller))
            guard case .done = response else { return try await account.askRecovery(me) }
            return .seeOther(Endpoint.showAccount.template.text)
        } catch let error as ServiceError {
            guard let problem = AccountProblem(error) else { throw error }
            return try await account.askRecovery(me, problem)
        }
    }

    /// `GET /account/approvals`: who waits for a decision of an admin, a page of them.
    static let showApprovals = account(.showApprovals) { account in
        let me = try await account.me()
        guard let fields = try? FormReader(account.exchange.rawQuery.utf8), let after = fields.position("after"),
            let position = fields.position("position")
        else { return try account.visit.reply(.malformed) }
        do {
            let found = try await account.exchange.run(
                ListWaiting(
                    company: me.companyName, skipping: Int(clamping: after), caller: account.caller,
                    waitFor: position == 0 ? nil : position))
            return try await account.approvals(found, after: Int(clamping: after), me).reply()
        } catch let error as ServiceError {
            guard let problem = AccountProblem(error) else { throw error }
            return try account.refused(problem, "approvals.title", me, .showAccount).reply()
        }
    }
}

extension Route {
    static let switchWaitingMails = accountForm(.switchWaitingMails) { account, form in
        guard let choice = try? form.fields.text("mails"), ["on", "off"].contains(choice) else {
            return try account.visit.reply(.malformed)
        }
        _ = try await account.exchange.run(SwitchWaitingMails(isOn: choice == "on", caller: account.caller))
        return .seeOther(Endpoint.showApprovals.template.text)
    }
}

extension FormReader {
    /// A position in a ledger; 0 for none, `nil` for a text that is no position.
    func position(_ name: String) -> Int64? {
        do throws(FormError) {
            guard let text = try text(name) else { return 0 }
            return Int64(decimal: text)
        } catch { return nil }
    }
}

extension AccountVisit {
    /// Answers the module of the page that asks for words: with what it signs, or with nothing for words that are wrong
    /// for the first time. The second time it signs the refusal.
    fileprivate func answer(_ decision: DecisionPage, _ form: PageForm, _ me: MeResponse) async throws -> Reply {
        guard let row = (try? form.fields.text("words")).flatMap({ Hex.decode($0) }) else {
            return try visit.reply(.malformed)
        }
        var answer: [String: JSONValue] = [:]
        do {
            // Whoever may not decide learns nothing about the words.
            guard case .signatureRequired(var statement) = try await decision.decide(nil, by: self, me) else {
                return try visit.reply(.unarmed)
            }
            let choice = try await decision.choice(row, self), refusal = decision.refusal
            let signed = choice == .right ? decision : refusal ?? decision
            if choice == .spent, refusal != nil {
                guard case .signatureRequired(let refusal) = try await signed.decide(nil, by: self, me) else {
                    return try visit.reply(.unarmed)
                }
                statement = refusal
            }
            if choice == .right || (choice == .spent && refusal != nil) {
                let granted = signed.form(self, isAnswered: choice == .right).granted(at: exchange.call.time)
                let members = [
                    "action": signed.action.rawValue, "reason": signed.signedReason, "page": granted.page,
                    "nonce": granted.nonce, "statement": Base64URL.encode(statement),
                ]
                answer["statement"] = .object(members.mapValues(JSONValue.string))
            }
        } catch let error as ServiceError {
            guard let problem = AccountProblem(error) else { throw error }
            return try refused(problem, decision.title, me, decision.list, decision.listPath).reply()
        }
        return Reply(headers: ["Content-Type": "application/json"], body: JSONValue.object(answer).canonicalBytes())
    }

    /// Asks for the signature of a decision, or says why there is nothing to sign.
    fileprivate func ask(
        _ decision: DecisionPage, _ me: MeResponse, _ problem: AccountProblem? = nil
    ) async throws -> Reply {
        do {
            switch try await decision.decide(nil, by: self, me) {
            case .signatureRequired(let statement):
                let question = try await decision.question(self)
                if question?.isSpent == true {
                    guard let refusal = decision.refusal else {
                        return try refused(.wrongRecoveryWords, decision.title, me, decision.list, decision.listPath)
                            .reply()
                    }
                    return try await ask(refusal, me, .wrongWords)
                }
                return try await decision.page(statement, question, for: self, me, problem: problem).reply()
            case .done: return .seeOther(decision.listPath)
            }
        } catch let error as ServiceError {
            guard let own = AccountProblem(error) else { throw error }
            return try refused(own, decision.title, me, decision.list, decision.listPath).reply()
        }
    }

    /// Asks for the signature that cancels the open recovery.
    fileprivate func askRecovery(_ me: MeResponse, _ problem: AccountProblem? = nil) async throws -> Reply {
        do {
            let response = try await exchange.run(CancelOwnRecovery(caller: caller))
            guard case .signatureRequired(let statement) = response else {
                return .seeOther(Endpoint.showAccount.template.text)
            }
            let page = SigningPage(
                title: "recovery.cancelTitle", meaning: text("recovery.cancelMeaning"),
                facts: [("sign.company", me.companyName), ("sign.person", me.companyEmployeeId ?? "")],
                statement: statement, expected: ("tenure/v1/recovery-cancellation", "cancel", "owner", nil),
                endpoint: .cancelOwnRecovery, form: recoveryForm, request: "recovery",
                back: Endpoint.showAccount.template.text,
                section: .showAccount)
            return try await page.page(for: self, me, problem: problem).reply()
        } catch let error as ServiceError {
            guard let own = AccountProblem(error) else { throw error }
            return try refused(own, "recovery.cancelTitle", me, .showAccount).reply()
        }
    }

    /// A page that says why there is nothing to decide.
    func refused(
        _ problem: AccountProblem, _ title: PageWord, _ me: MeResponse, _ endpoint: Endpoint, _ backPath: String? = nil
    ) -> HostedPage {
        page(
            RefusedContent(backPath: backPath ?? endpoint.template.text), title, of: me, at: endpoint,
            problem: problem)
    }
}

/// Why there is nothing to sign, which the frame says.
struct RefusedContent: AccountContent {
    static let template: PageTemplate = "refused"
    let backPath: String
}
