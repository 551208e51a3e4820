import Canonical
import IdentityService
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
    /// The exact bytes that are signed. A page with a question has none: its module gets them for the right answer.
    let statement: [UInt8]
    /// The question for the words of the other side.
    var question: WordQuestion?
    /// What the script expects in the statement: its first line, the action, the reason, and the fingerprint of the key
    /// that it is about; `nil` for a statement without such a key.
    let expected: (tag: String, action: String, reason: String, fingerprint: String?)
    /// Where the form is sent to.
    let endpoint: Endpoint
    /// The form, which is armed.
    let form: ArmedForm
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
        var content: PageContent = [
            "meaning": .text(meaning),
            "facts": .list(facts.map { ["fact": .text(account.text($0.label)), "value": .text($0.value)] }),
            "action": .text(endpoint.template.text), "request": .text(request),
            "token": .text(account.token(endpoint, request)),
            "statement": .text(question == nil ? Base64URL.encode(statement) : ""),
            "fields": .list(fields.map { ["field": .text($0.name), "fieldValue": .text($0.value)] }),
            "tag": .text(expected.tag), "expectedAction": .text(expected.action),
            "expectedReason": .text(expected.reason),
            "expectedFingerprint": .text(expected.fingerprint ?? ""), "signer": .text(me.session.fingerprint),
            "back": .text(back.template.text), "cancel": .text(account.text("sign.cancel")),
            "company": .text(me.companyName), "employee": .text(me.companyEmployeeId ?? ""),
            "noKey": .text(account.text("sign.noKey")), "failed": .text(account.text("sign.failed")),
            "module": .text(PageAsset.sign.path),
        ]
        if let question {
            content["question"] = .list([question.content(in: account.language)])
            content["wrong"] = .text(account.text("sign.wrongWords"))
        } else {
            content["exactLabel"] = .text(account.text("sign.exact"))
            content["exact"] = .text(String(decoding: statement, as: UTF8.self))
        }
        content = content.merging(form.content("sign.confirm", in: account.language, at: account.exchange.call.time))
        return account.page(.sign, title, of: me, at: section, content, problem: problem)
    }
}

extension WordQuestion {
    /// The rows to choose from, as words and as the digits that a terminal shows.
    func content(in language: PageLanguage) -> PageContent {
        [
            "legend": .text(PageWord("sign.question").text(in: language)),
            "legendHint": .text(PageWord("sign.questionHint").text(in: language)),
            "rows": .list(
                rows.map { row in
                    let digits = stride(from: 0, to: row.count, by: 2).map { Hex.encode(Array(row[$0..<($0 + 2)])) }
                    return [
                        "row": .text(Hex.encode(row)), "words": .text(FingerprintWords(row).text),
                        "digits": .text(digits.joined(separator: " ")),
                    ]
                }),
        ]
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
