import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

/// A decision about a device key, as a page of the account asks for it: about a device of one's own, or as an admin
/// about somebody else's.
struct DecisionPage: Sendable {
    let action: DecideKey.Action
    /// The fingerprint of the device key, 64 lower-case hexadecimal digits.
    let fingerprint: String
    /// The employee id of the device's owner; `nil` for one's own device.
    let owner: String?
    /// Why a key is revoked or refused, as the statement names it.
    let reason: String?

    /// Reads the decision from a query or a form.
    ///
    /// - Returns: `nil` for fields that no page of the service has.
    init?(fingerprint: String, _ fields: FormReader) {
        let texts: (owner: String?, reason: String?)
        do throws(FormError) { texts = (try fields.text("owner"), try fields.text("reason")) } catch { return nil }
        // The address of a page that asks for the words has no digits that stand in a row.
        let fingerprint = Base64URL.decode(fingerprint).flatMap { $0.count == 32 ? Hex.encode($0) : nil } ?? fingerprint
        guard let action = (try? fields.text("action")).flatMap(DecideKey.Action.init(rawValue:)),
            Hex.decode(fingerprint)?.count == 32
        else { return nil }
        self.action = action
        self.fingerprint = fingerprint
        owner = texts.owner
        switch action {
        case .authorize: self.reason = nil
        case .refuse: self.reason = DecisionReason.unknown.rawValue
        case .revoke:
            guard owner == nil, let known = texts.reason.flatMap(DecisionReason.init(rawValue:)) else { return nil }
            self.reason = known.rawValue
        }
    }

    private init(_ action: DecideKey.Action, fingerprint: String, owner: String?, reason: String?) {
        self.action = action
        self.fingerprint = fingerprint
        self.owner = owner
        self.reason = reason
    }

    /// The refusal of the same device key.
    var refusal: DecisionPage {
        DecisionPage(.refuse, fingerprint: fingerprint, owner: owner, reason: DecisionReason.unknown.rawValue)
    }

    /// The form that makes the decision.
    ///
    /// - Parameter isAnswered: Whether the question for the words was answered, which an approval needs.
    func form(_ account: AccountVisit, isAnswered: Bool = false) -> ArmedForm {
        Self.form(action, fingerprint, of: owner, reason: reason, isAnswered: isAnswered, account)
    }

    private static func form(
        _ action: DecideKey.Action, _ fingerprint: String, of owner: String?, reason: String?, isAnswered: Bool = false,
        _ account: AccountVisit
    ) -> ArmedForm {
        let subject = [fingerprint, action.rawValue, owner ?? "", reason ?? "", isAnswered ? "answered" : ""]
        return account.visit.armed(.makeDecision, subject.joined(separator: "\n"), account.cookie)
    }

    /// The token of a link or a form that leads to the page. The person chooses the reason on the way.
    static func token(
        _ action: DecideKey.Action, _ fingerprint: String, of owner: String? = nil, _ account: AccountVisit
    ) -> String {
        form(action, fingerprint, of: owner, reason: nil, account).link(at: account.exchange.call.time)
    }

    /// Whether a list of this service led to the page.
    func mayShow(_ account: AccountVisit) -> Bool {
        Self.form(action, fingerprint, of: owner, reason: nil, account).mayShow(account.exchange)
    }

    /// The path of the page that asks for the signature, with the token of the list.
    static func path(
        _ action: DecideKey.Action, _ fingerprint: String, of owner: String? = nil, _ account: AccountVisit
    ) -> String {
        let request = action == .authorize ? Hex.decode(fingerprint).map(Base64URL.encode) ?? "" : fingerprint
        var fields = [(name: "request", value: request), ("action", action.rawValue)]
        if let owner { fields.append(("owner", owner)) }
        fields.append(("token", token(action, fingerprint, of: owner, account)))
        return Endpoint.showDecision.template.text + "?" + String(decoding: FormEncoding.encode(fields), as: UTF8.self)
    }

    /// The question for the words of the device key; `nil` for a decision that takes something away.
    func question(_ account: AccountVisit) async throws -> WordQuestion? {
        guard action == .authorize else { return nil }
        return try await account.exchange.run(AskForWords(fingerprint: bytes, tenant: account.browser.tenantID))
    }

    private var bytes: [UInt8] { Hex.decode(fingerprint) ?? [] }

    /// Takes the row of words that somebody chose.
    func choice(_ row: [UInt8], _ account: AccountVisit) async throws -> WordChoice {
        try await account.exchange.run(
            ChooseWords(fingerprint: bytes, tenant: account.browser.tenantID, row: row))
    }

    /// Makes the decision, or returns the statement to sign.
    func decide(_ signed: StatementSignature?, by account: AccountVisit, _ me: MeResponse) async throws
        -> DecisionResponse
    {
        if action == .revoke {
            return try await account.exchange.run(
                RevokeDevice(
                    fingerprint: fingerprint, reason: reason ?? "", signed: signed, caller: account.caller))
        }
        guard let employee = owner ?? me.companyEmployeeId else { throw ServiceError(.employeeUnknown) }
        return try await account.exchange.run(
            DecideKey(
                action, company: me.companyName, companyEmployeeId: employee, fingerprint: fingerprint, reason: reason,
                signed: signed, caller: .employee(account.caller)))
    }

    /// The page that asks for the signature of a statement.
    func page(
        _ statement: [UInt8], _ question: WordQuestion?, for account: AccountVisit, _ me: MeResponse,
        problem: AccountProblem? = nil
    ) async throws -> HostedPage {
        let person = owner ?? me.companyEmployeeId ?? ""
        var facts: [(label: PageWord, value: String)] = [("sign.company", me.companyName), ("sign.person", person)]
        if owner == nil, let name = try await name(account) { facts.append(("devices.name", name)) }
        // Whoever reads the words here would not look at the other side.
        if question == nil {
            facts += [("devices.words", FingerprintWords(hex: fingerprint).text), ("devices.fingerprint", fingerprint)]
        }
        if let reason = reason.flatMap(DecisionReason.init(rawValue:)) {
            facts.append(("devices.reason", account.text(reason.word)))
        }
        var fields = [(name: "action", value: action.rawValue)]
        if let owner { fields.append(("owner", owner)) }
        if action == .revoke, let reason { fields.append(("reason", reason)) }
        let form = form(account)
        let (tag, title, meaning) = words
        return SigningPage(
            title: title, meaning: account.text(meaning, person, me.companyName), facts: facts, statement: statement,
            question: question,
            expected: (tag, action.rawValue, reason ?? "authorized", fingerprint), endpoint: .makeDecision, form: form,
            request: fingerprint, fields: fields, back: list, section: list
        ).page(for: account, me, problem: problem)
    }

    var title: PageWord { words.title }

    /// The list that the decision was taken from.
    var list: Endpoint { owner == nil ? .showDevices : .showApprovals }

    private var words: (tag: String, title: PageWord, meaning: PageWord) {
        switch action {
        case .authorize: ("tenure/v1/key-authorization", "decision.authorizeTitle", "decision.authorizeMeaning")
        case .refuse: ("tenure/v1/key-refusal", "decision.refuseTitle", "decision.refuseMeaning")
        case .revoke: ("tenure/v1/key-revocation", "decision.revokeTitle", "decision.revokeMeaning")
        }
    }

    private func name(_ account: AccountVisit) async throws -> String? {
        let devices = try await account.exchange.run(ListDevices(caller: account.caller))
        return devices.first { $0.fingerprint == fingerprint }?.name
    }
}
