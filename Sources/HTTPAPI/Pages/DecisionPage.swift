import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer

/// A decision that a page of the account asks for: about a device of one's own, or as an admin about somebody else, their
/// device or their recovery.
struct DecisionPage: Sendable {
    enum Action: String, Sendable {
        /// Approve, refuse or remove a device key.
        case authorize, refuse, revoke
        /// Approve a person, or refuse them.
        case approve, reject
        case open, confirm, cancel

        var isAboutPerson: Bool { self == .approve || self == .reject }
        var recovery: DecideRecovery.Action? { DecideRecovery.Action(rawValue: rawValue) }
        /// Whether the page asks which words the other side shows.
        var asksForWords: Bool { [.authorize, .open, .confirm].contains(self) }

        /// The reason that the statement names, unless the person chooses one.
        fileprivate var usualReason: String? {
            switch self {
            case .authorize: "authorized"
            case .approve: "approved"
            case .reject: "cancelled"
            case .open: "opened"
            case .confirm: "confirmed"
            case .refuse, .revoke, .cancel: nil
            }
        }
    }

    /// What a form about a person is about.
    private static let person = "person"

    let action: Action
    /// The fingerprint of the device key, 64 lower-case hexadecimal digits; empty for a decision about a person.
    let fingerprint: String
    /// The employee id of whom the decision is about; `nil` for one's own device.
    let owner: String?
    /// Why a key is removed or refused, as the statement names it.
    let reason: String?

    /// Reads the decision from a query or a form.
    ///
    /// - Returns: `nil` for fields that no page of the service has.
    init?(fingerprint: String, _ fields: FormReader) {
        let texts: (owner: String?, reason: String?)
        do throws(FormError) { texts = (try fields.text("owner"), try fields.text("reason")) } catch { return nil }
        guard let action = (try? fields.text("action")).flatMap(Action.init(rawValue:)) else { return nil }
        // The address of a page that asks for the words has no digits that stand in a row.
        let key = Base64URL.decode(fingerprint).flatMap { $0.count == 32 ? Hex.encode($0) : nil } ?? fingerprint
        let isAboutOthers = action.isAboutPerson || action.recovery != nil
        guard action.isAboutPerson ? key == Self.person : Hex.decode(key)?.count == 32,
            texts.owner != nil || !isAboutOthers
        else { return nil }
        var reason: String?
        if action == .revoke {
            guard let known = texts.reason.flatMap(DecisionReason.init(rawValue:)) else { return nil }
            reason = known.rawValue
        }
        self.init(action, fingerprint: action.isAboutPerson ? "" : key, owner: texts.owner, reason: reason)
    }

    private init(_ action: Action, fingerprint: String, owner: String?, reason: String?) {
        self.action = action
        self.fingerprint = fingerprint
        self.owner = owner
        self.reason =
            switch action {
            case .refuse: DecisionReason.unknown.rawValue
            case .cancel: "mistake"
            default: reason
            }
    }

    /// The refusal of somebody's device key.
    init(refusing fingerprint: String, of owner: String) {
        self.init(.refuse, fingerprint: fingerprint, owner: owner, reason: nil)
    }

    /// The approval of one's own device key.
    init(approvingOwn fingerprint: String) { self.init(.authorize, fingerprint: fingerprint, owner: nil, reason: nil) }

    /// The refusal of the same device key; `nil` for a recovery, which nobody needs to refuse.
    var refusal: DecisionPage? {
        action == .authorize ? DecisionPage(.refuse, fingerprint: fingerprint, owner: owner, reason: nil) : nil
    }

    /// The form that makes the decision.
    ///
    /// - Parameter isAnswered: Whether the question for the words was answered, which an approval needs.
    func form(_ account: AccountVisit, isAnswered: Bool = false) -> ArmedForm {
        Self.form(action, fingerprint, of: owner, reason: reason, isAnswered: isAnswered, account)
    }

    private static func form(
        _ action: Action, _ fingerprint: String, of owner: String?, reason: String?, isAnswered: Bool = false,
        _ account: AccountVisit
    ) -> ArmedForm {
        let subject = [fingerprint, action.rawValue, owner ?? "", reason ?? "", isAnswered ? "answered" : ""]
        return account.visit.armed(.makeDecision, subject.joined(separator: "\n"), account.cookie)
    }

    /// The token of a link or a form that leads to the page. The person chooses the reason on the way.
    static func token(
        _ action: Action, _ fingerprint: String, of owner: String? = nil, _ account: AccountVisit
    ) -> String {
        form(action, fingerprint, of: owner, reason: nil, account).link(at: account.exchange.call.time)
    }

    /// Whether a list of this service led to the page.
    func mayShow(_ account: AccountVisit) -> Bool {
        Self.form(action, fingerprint, of: owner, reason: nil, account).mayShow(account.exchange)
    }

    /// The path of the page that asks for the signature, with the token of the list.
    static func path(
        _ action: Action, _ fingerprint: String, of owner: String? = nil, _ account: AccountVisit
    ) -> String {
        let hidden = Hex.decode(fingerprint).map(Base64URL.encode) ?? ""
        let request = action.isAboutPerson ? person : action.asksForWords ? hidden : fingerprint
        var fields = [(name: "request", value: request), ("action", action.rawValue)]
        if let owner { fields.append(("owner", owner)) }
        fields.append(("token", token(action, fingerprint, of: owner, account)))
        return Endpoint.showDecision.template.text + "?" + String(decoding: FormEncoding.encode(fields), as: UTF8.self)
    }

    /// The question for the words of the device key; `nil` for a decision that takes something away.
    func question(_ account: AccountVisit) async throws -> WordQuestion? {
        guard action.asksForWords else { return nil }
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
        let company = me.companyName, exchange = account.exchange
        if action == .revoke, owner == nil {
            return try await exchange.run(
                RevokeDevice(
                    fingerprint: fingerprint, reason: reason ?? "", signed: signed, caller: account.caller))
        }
        guard let employee = owner ?? me.companyEmployeeId else { throw ServiceError(.employeeUnknown) }
        if let recovery = action.recovery {
            return try await exchange.run(
                DecideRecovery(
                    recovery, company: company, companyEmployeeId: employee, fingerprint: fingerprint, reason: reason,
                    signed: signed, caller: account.caller))
        }
        guard let key = DecideKey.Action(rawValue: action.rawValue) else {
            return try await exchange.run(
                DecideStatus(
                    action == .approve ? .approve : .cancel, StatusDecisionRequest(signed: signed), company: company,
                    companyEmployeeId: employee, caller: .employee(account.caller)))
        }
        return try await exchange.run(
            DecideKey(
                key, company: company, companyEmployeeId: employee, fingerprint: fingerprint, reason: reason,
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
        if let address = await address(account, me) { facts.append(("sign.address", address)) }
        if let owner,
            let name = try? await account.exchange.run(
                ReadShownName(company: me.companyName, companyEmployeeId: owner, caller: account.caller))
        {
            let warning = name.looksLikeAdmin ? " – " + account.text("approvals.alike") : ""
            facts.append(("approvals.name", name.text + warning))
        }
        // Whoever reads the words here would not look at the other side.
        if question == nil, !action.isAboutPerson {
            facts.append(("devices.words", FingerprintWords(hex: fingerprint).text))
        }
        if let reason = reason.flatMap(DecisionReason.init(rawValue:)) {
            facts.append(("devices.reason", account.text(reason.word)))
        }
        var fields = [(name: "action", value: action.rawValue)]
        if let owner { fields.append(("owner", owner)) }
        if action == .revoke, let reason { fields.append(("reason", reason)) }
        let form = form(account)
        let (tag, title, meaning) = words
        return try await SigningPage(
            title: title, meaning: account.text(meaning, person, me.companyName), facts: facts, statement: statement,
            question: question,
            expected: (
                tag, action == .reject ? "cancel" : action.rawValue, signedReason,
                action.isAboutPerson ? nil : fingerprint
            ), endpoint: .makeDecision, form: form,
            request: action.isAboutPerson ? Self.person : fingerprint, fields: fields, back: listPath, section: list
        ).page(for: account, me, problem: problem)
    }

    var title: PageWord { words.title }

    /// The reason that the statement names.
    var signedReason: String { action.usualReason ?? reason ?? "" }

    /// The list that the decision was taken from.
    var list: Endpoint {
        guard owner != nil else { return .showDevices }
        return switch action {
        case .revoke: .showColleague
        case .open, .confirm, .cancel: .showRecoveries
        case .authorize, .refuse, .approve, .reject: .showApprovals
        }
    }

    var listPath: String {
        guard list == .showColleague, let owner else { return list.template.text }
        return list.template.text + "?"
            + String(decoding: FormEncoding.encode([(name: "name", value: owner)]), as: UTF8.self)
    }

    /// The path of the list after the decision. The list is a projection, and waits until it has the decision.
    ///
    /// - Parameter employee: What the decision made of the account.
    func donePath(
        _ employee: EmployeeSummaryResponse?, _ position: Int64?, for account: AccountVisit, _ me: MeResponse
    ) -> String {
        let waits = action == .authorize && employee.map { $0.status != "active" } == true
        let done = DoneDecision(word: waits ? "authorizeUnapproved" : action.rawValue, person: owner ?? "")
        var fields = done.fields(account)
        if let position, list == .showApprovals || list == .showColleague {
            fields.append(("position", "\(position)"))
        }
        return listPath + (listPath.contains("?") ? "&" : "?")
            + String(decoding: FormEncoding.encode(fields), as: UTF8.self)
    }

    private var words: (tag: String, title: PageWord, meaning: PageWord) {
        switch action {
        case .authorize: ("tenure/v1/key-authorization", "decision.authorizeTitle", "decision.authorizeMeaning")
        case .refuse: ("tenure/v1/key-refusal", "decision.refuseTitle", "decision.refuseMeaning")
        case .revoke: ("tenure/v1/key-revocation", "decision.revokeTitle", "decision.revokeMeaning")
        case .approve: ("tenure/v1/employee-approval", "decision.approveTitle", "decision.approveMeaning")
        case .reject: ("tenure/v1/employee-cancellation", "decision.rejectTitle", "decision.rejectMeaning")
        case .open: ("tenure/v1/recovery-opening", "decision.openTitle", "decision.openMeaning")
        case .confirm: ("tenure/v1/recovery-confirmation", "decision.confirmTitle", "decision.confirmMeaning")
        case .cancel: ("tenure/v1/recovery-cancellation", "decision.cancelTitle", "decision.cancelMeaning")
        }
    }

    private func name(_ account: AccountVisit) async throws -> String? {
        let devices = try await account.exchange.run(ListDevices(caller: account.caller))
        return devices.first { $0.fingerprint == fingerprint }?.name
    }

    /// The address of somebody else, as entered; `nil` if it is not known now.
    private func address(_ account: AccountVisit, _ me: MeResponse) async -> String? {
        guard let owner else { return nil }
        let read = ReadEmployee(
            company: me.companyName, companyEmployeeId: owner, caller: .employee(account.caller))
        return (try? await account.exchange.run(read))?.email
    }
}

/// A decision that was made just now, of which the list says what is true since then.
struct DoneDecision: Sendable {
    /// The name of the sentence.
    let word: String
    /// The employee id of whom it was about; empty for one's own device.
    let person: String

    init(word: String, person: String) { (self.word, self.person) = (word, person) }

    /// Reads the decision of the page's address; `nil` if this session did not make it.
    init?(_ account: AccountVisit) {
        guard let fields = try? FormReader(account.exchange.rawQuery.utf8), let word = try? fields.text("done") else {
            return nil
        }
        self.init(word: word, person: (try? fields.text("of")) ?? "")
        guard form(account).mayShow(account.exchange) else { return nil }
    }

    /// The fields of the address of the page that says so.
    func fields(_ account: AccountVisit) -> [(name: String, value: String)] {
        [("done", word), ("of", person), ("token", form(account).link(at: account.exchange.call.time))]
    }

    private func form(_ account: AccountVisit) -> ArmedForm {
        account.visit.armed(.makeDecision, ["done", word, person].joined(separator: "\n"), account.cookie)
    }
}
