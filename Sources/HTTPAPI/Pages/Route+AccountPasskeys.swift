import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Endpoint {
    static let showPasskey = Endpoint(page: "GET", "/account/passkeys", "Show how a person adds a passkey")
    static let addPasskey = Endpoint(page: "POST", "/account/passkeys", "Take a passkey that a person adds")
    static let issueOwnPasskeyChallenge = Endpoint(
        page: "POST", "/account/passkeys/challenge", "Give the page what a passkey that a person adds signs")
}

extension Route {
    /// `GET /account/passkeys`: the button that makes a passkey. Any other way than from the list leads to the list.
    static let showPasskey = account(.showPasskey) { account in
        let me = try await account.me(), passkeys = try await account.exchange.run(ReadPasskeys(caller: account.caller))
        guard account.passkeyForm.mayShow(account.exchange), let passkeys else {
            return .seeOther(Endpoint.showDevices.template.text)
        }
        let person = me.companyEmployeeId ?? ""
        let content = PasskeyContent(
            rp: passkeys.rpID, service: PageFrame.current.brand.brand.name,
            handle: Base64URL.encode(passkeys.handle), account: "\(person) – \(me.companyName)",
            known: passkeys.held.map { Base64URL.encode($0.credential) }.joined(separator: " "),
            sentence: account.text("passkey.sentence", person, me.companyName),
            challengePath: Endpoint.issueOwnPasskeyChallenge.template.text, signer: me.session.fingerprint,
            passkey: try await account.signingPasskey(me),
            company: me.companyName, employee: person, decisionPath: Endpoint.makeDecision.template.text,
            backPath: Endpoint.showDevices.template.text,
            form: account.passkeyForm.part(
                sentTo: Endpoint.addPasskey.template.text, request: "passkey", at: account.exchange.call.time))
        return try account.page(content, "passkey.title", of: me, at: .showDevices).reply()
    }

    /// `POST /account/passkeys/challenge`: names the account, so that the answer adds the passkey to no other one.
    static let issueOwnPasskeyChallenge = Route(page: .issueOwnPasskeyChallenge, body: .optionalForm) { exchange in
        let visit = PageVisit(exchange: exchange)
        guard let (browser, _) = try await visit.session() else { return try visit.reply(.unarmed) }
        return try await visit.passkeyChallenge(addedBy: browser.caller)
    }

    /// `POST /account/passkeys`: presents the passkey, and gives the module the statement by which the device key of this
    /// browser authorizes it; or where to go if somebody else must.
    static let addPasskey = accountForm(.addPasskey) { account, form in
        func bytes(_ name: String) -> [UInt8] { (try? form.fields.text(name)).flatMap { Base64URL.decode($0) } ?? [] }
        let me = try await account.me(), exchange = account.exchange
        guard try await account.passkeyForm.takes(form.fields, exchange) else {
            return try account.visit.reply(.unarmed)
        }
        do {
            let fingerprint = try await exchange.run(
                AddPasskey(
                    AddPasskey.Made(
                        random: bytes("random"), authenticatorData: bytes("authenticator"),
                        clientDataJSON: bytes("client"), spki: bytes("spki")),
                    challenge: bytes("challenge"), proof: bytes("proof"), visitor: account.visit.visitor.value,
                    caller: account.caller, app: try await exchange.pagesApp()))
            let decision = DecisionPage(approvingOwn: fingerprint)
            let asked: DecisionResponse?
            do { asked = try await decision.decide(nil, by: account, me) } catch is ServiceError { asked = nil }
            guard case .signatureRequired(let statement)? = asked else {
                return .passkeyJSON(["waits": account.waitingPasskeyPath])
            }
            let granted = decision.form(account, isAnswered: true).granted(at: exchange.call.time)
            return .passkeyJSON([
                "request": fingerprint, "token": account.form(.makeDecision, fingerprint).token,
                "page": granted.page, "nonce": granted.nonce, "statement": Base64URL.encode(statement),
            ])
        } catch let error as ServiceError {
            var reply = try account.visit.reply(.malformed)
            (reply.status, reply.code) = (error.code.status, error.code.rawValue)
            return reply
        }
    }
}

extension Reply {
    fileprivate static func passkeyJSON(_ members: [String: String]) -> Reply {
        Reply(
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: JSONValue.object(members.mapValues(JSONValue.string)).canonicalBytes())
    }
}

extension AccountVisit {
    /// The list of devices, which says that a passkey waits for a decision.
    fileprivate var waitingPasskeyPath: String {
        let fields = DoneDecision(word: "passkeyWaits", person: "").fields(self)
        return Endpoint.showDevices.template.text + "?" + String(decoding: FormEncoding.encode(fields), as: UTF8.self)
    }

    var passkeyForm: ArmedForm { visit.armed(.addPasskey, "passkey", cookie) }

    /// The path of the page that adds a passkey, with the token of the list.
    var passkeyPath: String {
        let token = [(name: "token", value: passkeyForm.link(at: exchange.call.time))]
        return Endpoint.showPasskey.template.text + "?" + String(decoding: FormEncoding.encode(token), as: UTF8.self)
    }
}

/// What a page tells the browser of an account's passkeys, so that its picker offers what logs in. It may offer a first
/// one.
struct PasskeyPicker: PagePart {
    let rp: String
    let handle: String
    /// The ids of the account's passkeys, separated by spaces.
    let known: String
    /// Where a first passkey is added; `nil` if none is offered.
    let offerPath: String?
    let script = PageAsset.picker.path
}

extension AccountVisit {
    /// Says that this browser was offered a passkey in the last 30 days.
    var offered: BrowserCookieField { BrowserCookieField("-offered", publicURL: exchange.publicURL) }

    /// What the browser is told of the passkeys. Somebody who has proved a secret, and has no passkey, is offered one.
    func picker(of own: OwnPasskeys) -> PasskeyPicker {
        let isOffered =
            own.isEnough && own.held.isEmpty && caller.secretProved && offered.value(in: exchange.headers) == nil
        return PasskeyPicker(
            rp: own.rpID, handle: Base64URL.encode(own.handle),
            known: own.held.map { Base64URL.encode($0.credential) }.joined(separator: " "),
            offerPath: isOffered ? passkeyPath : nil)
    }
}

/// The button that makes a passkey, with what the browser is told of the account.
struct PasskeyContent: AccountContent {
    static let template: PageTemplate = "passkey"
    /// The site that the passkey belongs to.
    let rp: String
    let service: String
    /// The `user.id` of the account.
    let handle: String
    /// The account as the browser's list names it.
    let account: String
    /// The ids of the account's passkeys, separated by spaces.
    let known: String
    let sentence: String
    let challengePath: String
    /// The fingerprint of the device key that signs.
    let signer: String
    /// The passkey that signs; `nil` for a key of the browser.
    let passkey: SigningPasskey?
    let company: String
    let employee: String
    /// Where the statement is sent to.
    let decisionPath: String
    let backPath: String
    let form: FormPart
}
