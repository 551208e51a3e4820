import Canonical
import TenureAPI

/// A page that shows in words what somebody signs, and signs it with the device key of the browser.
///
/// The script of the page reads the statement itself, and signs nothing that says something else than the page.
struct SigningPage: Sendable {
    /// The title of the page, which is what the person does.
    let title: PageWord
    /// The sentence that says what the signature means.
    let meaning: String
    /// What the statement is about, each fact with its label.
    let facts: [(label: PageWord, value: String)]
    /// The exact bytes that are signed.
    let statement: [UInt8]
    /// What the script expects in the statement: its first line, the action, the reason, and the fingerprint of the key
    /// that it is about; `nil` for a statement without such a key.
    let expected: (tag: String, action: String, reason: String, fingerprint: String?)
    /// Where the form is sent to.
    let endpoint: Endpoint
    /// What the form is about.
    let request: String
    /// Further fields of the form.
    var fields: [(name: String, value: String)] = []
    /// The page to go back to without signing.
    let back: Endpoint
    /// Where the page is in the links to other pages.
    let section: Endpoint

    /// The page, with the reason why the last try was refused.
    func page(for account: AccountVisit, _ me: MeResponse, problem: AccountProblem? = nil) -> HostedPage {
        let content: PageContent = [
            "meaning": .text(meaning),
            "facts": .list(facts.map { ["fact": .text(account.text($0.label)), "value": .text($0.value)] }),
            "exactLabel": .text(account.text(.signExact)),
            "exact": .text(String(decoding: statement, as: UTF8.self)),
            "action": .text(endpoint.template.text), "request": .text(request),
            "token": .text(account.token(endpoint, request)), "statement": .text(Base64URL.encode(statement)),
            "fields": .list(fields.map { ["field": .text($0.name), "fieldValue": .text($0.value)] }),
            "tag": .text(expected.tag), "expectedAction": .text(expected.action),
            "expectedReason": .text(expected.reason),
            "expectedFingerprint": .text(expected.fingerprint ?? ""), "signer": .text(me.session.fingerprint),
            "sign": .text(account.text(.signConfirm)), "back": .text(back.template.text),
            "cancel": .text(account.text(.signCancel)), "noScript": .text(account.text(.pageNeedsScript)),
            "company": .text(me.companyName), "employee": .text(me.companyEmployeeId ?? ""),
            "noKey": .text(account.text(.signNoKey)), "failed": .text(account.text(.signFailed)),
            "script": .text(PageAsset.sign.path),
        ]
        return account.page(.sign, title, of: me, at: section, content, problem: problem)
    }
}

extension PageForm {
    /// The statement and the signature that the script filled in; `nil` if one is missing or not base64url.
    var signed: StatementSignature? {
        guard let statement = (try? fields.text("statement")).flatMap({ Base64URL.decode($0) }),
            let signature = (try? fields.text("signature")).flatMap({ Base64URL.decode($0) })
        else { return nil }
        return StatementSignature(statement: statement, signature: signature)
    }
}
