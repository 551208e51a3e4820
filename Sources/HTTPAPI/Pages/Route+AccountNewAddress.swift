import Canonical
import ErrorCodes
import FoundationEssentials
import IdentityService
import TenureAPI

extension Endpoint {
    static let showNewAddress = Endpoint(page: "GET", "/account/address", "Show a person how to change the address")
    static let mailNewAddress = Endpoint(
        page: "POST", "/account/address/new", "Send a code to the address that a person changes to")
    static let proveNewAddress = Endpoint(
        page: "POST", "/account/address/code", "Take the code, and show what the change signs")
    static let changeAddress = Endpoint(page: "POST", "/account/address/change", "Take the signed change of an address")
    static let showAddressUndo = Endpoint(
        page: "GET", "/address/undo/{userId}", "Show what the link to a former address undoes")
    static let undoAddress = Endpoint(page: "POST", "/address/undo/{userId}", "Undo the change of an address")
}

extension Route {
    /// `GET /account/address`: the form for the new address, and then the one for the code of the mail.
    static let showNewAddress = account(.showNewAddress) { account in
        let mail = (try? FormReader(account.exchange.rawQuery.utf8).text("mail")).flatMap { UUID(entered: $0) }
        return try await account.newAddress(mail: mail).reply()
    }

    static let mailNewAddress = accountForm(.mailNewAddress) { account, form in
        let email = (try? form.fields.text("email")) ?? ""
        do {
            let start = StartEmailChange(email: email, caller: account.caller, languages: account.visit.languages)
            let mail = try await account.exchange.run(start)
            return .seeOther("\(Endpoint.showNewAddress.template.text)?mail=\(mail.lowercased)")
        } catch let error as ServiceError {
            return try await account.newAddress(refused: error, entered: email)
        }
    }

    static let proveNewAddress = accountForm(.proveNewAddress) { account, form in
        guard let mail = UUID(entered: form.request) else { return try account.visit.reply(.malformed) }
        let code = (try? form.fields.text("code")) ?? ""
        let prove = ProveEmailChange(mail: mail, code: code, caller: account.caller)
        func again(_ word: PageWord, _ mail: UUID?) async throws -> Reply {
            try await account.newAddress(mail: mail, AccountProblem(word: word, status: 403)).reply()
        }
        switch try await account.exchange.run(prove) {
        case .proved(let proof, let address):
            let change = NewAddress(mail: mail, proof: proof, salt: Base64URL.encode(randomBytes(32)), address: address)
            do { return try await account.sign(change) } catch let error as ServiceError {
                return try await account.newAddress(refused: error)
            }
        case .wrong: return try await again("ownaddress.wrong", mail)
        case .spent: return try await again("ownaddress.spent", nil)
        case .expired: return try await again("ownaddress.expired", nil)
        }
    }

    /// `POST /account/address/change`, with the signature of the browser's device key.
    static let changeAddress = accountForm(.changeAddress) { account, form in
        guard let change = NewAddress(form), let signed = form.signed,
            try await change.form(account).takes(form.fields, account.exchange)
        else { return .seeOther(Endpoint.showNewAddress.template.text) }
        do {
            guard case .done = try await account.exchange.run(change.useCase(account.caller, signed)) else {
                return try await account.sign(change)
            }
            return .seeOther("\(Endpoint.showNewAddress.template.text)?\(AccountVisit.changed)")
        } catch let error as ServiceError {
            return try await account.newAddress(refused: error)
        }
    }

    /// `GET /address/undo/{userId}`. It changes nothing, because mail programs and filters open links too.
    static let showAddressUndo = Route(page: .showAddressUndo) { try await undoAddress($0) }

    /// `POST /address/undo/{userId}`, by the button of the page.
    static let undoAddress = Route(page: .undoAddress, body: .form) { try await undoAddress($0) }

    private static func undoAddress(_ exchange: RoutedRequest) async throws -> Reply {
        try await exchange.mailed { link, isDecision, _ in
            let answer = try await exchange.run(
                UndoEmailChange(
                    user: exchange.captures["userId"], expires: link.expires, key: link.key, isDecision: isDecision))
            return switch answer {
            case .pending: .undoAddress
            case .verified: .addressUndone
            case .expired: .expired
            case .invalid: .invalid
            }
        }
    }
}

/// A change of an address whose mailbox was proved, as its page shows it and its form sends it back.
struct NewAddress: Sendable {
    let mail: UUID
    /// The proof of the mailbox, as the query of a link.
    let proof: String
    /// The salt of the commitment, base64url.
    let salt: String
    let address: String

    init(mail: UUID, proof: String, salt: String, address: String) {
        (self.mail, self.proof, self.salt, self.address) = (mail, proof, salt, address)
    }

    init?(_ form: PageForm) {
        func text(_ name: String) -> String? { (try? form.fields.text(name)) ?? nil }
        guard let mail = UUID(entered: form.request), let proof = text("proof"), let salt = text("salt"),
            let address = text("email")
        else { return nil }
        self.init(mail: mail, proof: proof, salt: salt, address: address)
    }

    func form(_ account: AccountVisit) -> ArmedForm {
        account.visit.armed(
            .changeAddress, [mail.lowercased, proof, salt, address].joined(separator: "\n"), account.cookie)
    }

    func useCase(_ caller: EmployeeCaller, _ signed: StatementSignature? = nil) -> ChangeEmail {
        let link = MailLinkParameters(Substring(proof))
        return ChangeEmail(
            mail: mail, proof: (link.expires, link.key), salt: Base64URL.decode(salt) ?? [], signed: signed,
            caller: caller)
    }
}

extension AccountVisit {
    /// The page, with the form that belongs to the step.
    ///
    /// - Parameter mail: The id of the mail whose code is asked for; `nil` for the form with the new address.
    fileprivate func newAddress(
        mail: UUID? = nil, _ problem: AccountProblem? = nil, entered: String = "", asksToLogIn: Bool = false
    ) async throws -> HostedPage {
        let me = try await me(), own = try await exchange.run(ReadOwnAddress(caller: caller))
        let content = NewAddressContent(
            address: own.address, isChanged: exchange.rawQuery == Self.changed,
            open: own.undoUntil.map { text("ownaddress.open", $0.forPeople) },
            logInPath: asksToLogIn ? Self.logInPath : nil,
            entry: mail == nil && own.undoUntil == nil
                ? NewAddressContent.Entry(entered: entered, form: form(.mailNewAddress, "address")) : nil,
            code: mail.map { NewAddressContent.Code(form: form(.proveNewAddress, $0.lowercased)) })
        return page(content, "ownaddress.title", of: me, at: .showAccount, problem: problem)
    }

    /// The page after a refusal.
    fileprivate func newAddress(refused error: ServiceError, entered: String = "") async throws -> Reply {
        let word: PageWord
        switch error.code {
        case .sessionLoginRequired: word = "ownaddress.logIn"
        case .mailUnavailable: word = "address.noMail"
        case .requestRateLimited: word = "ownaddress.tooMany"
        case .emailInvalid, .emailMissing, .requestInvalid: word = "ownaddress.unfit"
        case .requestStale: word = "ownaddress.stale"
        default:
            guard let problem = AccountProblem(error) else { throw error }
            word = problem.word
        }
        return try await newAddress(
            AccountProblem(word: word, status: error.code.status), entered: entered,
            asksToLogIn: error.code == .sessionLoginRequired
        ).reply()
    }

    /// Asks for the signature of a change.
    fileprivate func sign(_ change: NewAddress) async throws -> Reply {
        guard case .signatureRequired(let statement) = try await exchange.run(change.useCase(caller)) else {
            throw ServiceError(.requestStale)
        }
        let me = try await me()
        let page = SigningPage(
            title: "ownaddress.title", meaning: text("ownaddress.meaning", change.address),
            facts: [
                ("ownaddress.label", change.address), ("sign.company", me.companyName),
                ("sign.person", me.companyEmployeeId ?? ""),
            ],
            statement: statement, expected: ("tenure/v1/email-change", "change", "changed", nil),
            endpoint: .changeAddress, form: change.form(self), request: change.mail.lowercased,
            fields: [("proof", change.proof), ("salt", change.salt), ("email", change.address)],
            back: Endpoint.showNewAddress.template.text, section: .showAccount)
        return try await page.page(for: self, me).reply()
    }
}

/// The page on which somebody changes the address.
struct NewAddressContent: AccountContent {
    static let template: PageTemplate = "newAddress"

    struct Entry: PagePart {
        let entered: String
        let form: FormPart
    }

    struct Code: PagePart {
        let form: FormPart
    }

    /// The present address; `nil` without one.
    let address: String?
    let isChanged: Bool
    /// Until when the former address can undo the last change.
    let open: String?
    /// Where to log in again.
    let logInPath: String?
    let entry: Entry?
    let code: Code?
}
