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
    let form: ArmedForm
    /// What the form is about.
    let request: String
    /// Further fields of the form.
    var fields: [(name: String, value: String)] = []
    /// The path of the page to go back to without signing.
    let back: String
    /// Where the page is in the links to other pages.
    let section: Endpoint

    /// The page, with the reason why the last try was refused.
    func page(
        for account: AccountVisit, _ me: MeResponse, problem: AccountProblem? = nil
    ) async throws -> HostedPage {
        let content = SigningContent(
            meaning: meaning, facts: facts.map { SigningContent.Fact(fact: account.text($0.label), value: $0.value) },
            act: account.text(title).asAct, hasKey: expected.fingerprint != nil,
            exact: question == nil ? String(decoding: statement, as: UTF8.self) : nil,
            statement: question == nil ? Base64URL.encode(statement) : "",
            form: form.part(sentTo: endpoint.template.text, request: request, at: account.exchange.call.time),
            fields: fields.map { SigningContent.Field(name: $0.name, value: $0.value) }, tag: expected.tag,
            action: expected.action, reason: expected.reason, fingerprint: expected.fingerprint ?? "",
            signer: me.session.fingerprint, passkey: try await account.signingPasskey(me), company: me.companyName,
            employee: me.companyEmployeeId ?? "",
            backPath: back, question: question.map(WordRows.init))
        return account.page(content, title, of: me, at: section, problem: problem)
    }
}

extension String {
    /// What a button says that does what this title asks.
    var asAct: String {
        var text = self
        while let last = text.last, last == "?" || last.isWhitespace { text.removeLast() }
        return text
    }
}

/// What somebody signs, in words.
struct SigningContent: AccountContent {
    static let template: PageTemplate = "sign"

    struct Fact: PagePart {
        let fact: String
        let value: String
    }

    struct Field: PagePart {
        let name: String
        let value: String
    }

    let meaning: String
    let facts: [Fact]
    /// What the button says.
    let act: String
    /// Whether the statement is about a device key.
    let hasKey: Bool
    /// The exact text that is signed.
    let exact: String?
    let statement: String
    let form: FormPart
    let fields: [Field]
    let tag: String
    let action: String
    let reason: String
    let fingerprint: String
    /// The fingerprint of the device key that signs.
    let signer: String
    /// The passkey that signs; `nil` for a key of the browser.
    let passkey: SigningPasskey?
    let company: String
    let employee: String
    let backPath: String
    let question: WordRows?
}

/// The passkey that a session was opened with, which signs on its pages.
struct SigningPasskey: PagePart {
    /// The id of the credential, in base64url.
    let credential: String
    /// The site that it belongs to.
    let rp: String
    /// The public key, in base64url.
    let key: String

    init(credential: String, rp: String, key: String) { (self.credential, self.rp, self.key) = (credential, rp, key) }

    /// The passkey of a flow or a wait; `nil` for a key of the browser.
    init?(_ passkey: DevicePasskey?, key: [UInt8]) {
        guard let passkey else { return nil }
        credential = Base64URL.encode(passkey.credential)
        rp = passkey.rpID
        self.key = Base64URL.encode(key)
    }
}

extension AccountVisit {
    /// The passkey that this session was opened with; `nil` for a key of the browser.
    func signingPasskey(_ me: MeResponse) async throws -> SigningPasskey? {
        guard let passkeys = try await exchange.run(ReadPasskeys(caller: caller)),
            let held = passkeys.held.first(where: { $0.fingerprint == me.session.fingerprint })
        else { return nil }
        return SigningPasskey(
            credential: Base64URL.encode(held.credential), rp: passkeys.rpID, key: Base64URL.encode(held.key))
    }
}

/// The rows to choose from, as words and as the digits that a terminal shows.
struct WordRows: PagePart {
    struct Row: PagePart {
        let row: String
        let words: String
        let digits: String
    }

    let rows: [Row]

    init(_ question: WordQuestion) {
        rows = question.rows.map { row in
            let digits = stride(from: 0, to: row.count, by: 2).map { Hex.encode(Array(row[$0..<($0 + 2)])) }
            return Row(
                row: Hex.encode(row), words: FingerprintWords(row).text, digits: digits.joined(separator: " "))
        }
    }
}

extension PageForm {
    /// The statement and the signature that the script filled in; `nil` if one is missing or not base64url.
    var signed: StatementSignature? { signed("") }

    /// The same of one among several, whose fields have this at their ends.
    func signed(_ end: String) -> StatementSignature? {
        guard let statement = bytes("statement" + end), let signature = bytes("signature" + end) else { return nil }
        return StatementSignature(statement: statement, signature: signature)
    }

    /// The bytes of a field; `nil` if it is missing or not base64url.
    func bytes(_ name: String) -> [UInt8]? { (try? fields.text(name)).flatMap { Base64URL.decode($0) } }
}
