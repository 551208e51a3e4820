import IdentityService
import TenureAPI

/// The endpoints of the pages of one's own account.
extension Endpoint {
    static let showHome = Endpoint(page: "GET", "/", "Send a person to the account, or to log in")
    static let showAccount = Endpoint(page: "GET", "/account", "Show who is logged in")
    static let logOutOfAccount = Endpoint(page: "POST", "/account/logout", "Log a person out")
    static let mailAddressLink = Endpoint(
        page: "POST", "/account/address", "Send a person the mail that confirms the address")
    static let showDevices = Endpoint(page: "GET", "/account/devices", "Show a person's devices")
    static let nameDevice = Endpoint(page: "POST", "/account/devices/name", "Give a device a name")
    static let showDecision = Endpoint(
        page: "GET", "/account/decision", "Show what a decision about a device key signs")
    static let makeDecision = Endpoint(page: "POST", "/account/decision", "Take a signed decision about a device key")
    static let showSessions = Endpoint(page: "GET", "/account/sessions", "Show a person's sessions")
    static let endSessionsOfAccount = Endpoint(page: "POST", "/account/sessions", "End other sessions")
    static let showOwnCredentials = Endpoint(page: "GET", "/account/credentials", "Show by what a person logs in")
    static let beginOwnChange = Endpoint(
        page: "POST", "/account/credentials", "Begin a change of a person's credentials")
    static let showConsents = Endpoint(page: "GET", "/account/consents", "Show what a person consented to")
    static let withdrawConsent = Endpoint(page: "POST", "/account/consents", "Withdraw a consent")
    static let showRecovery = Endpoint(
        page: "GET", "/account/recovery", "Show what the cancellation of a recovery signs")
    static let cancelOwnRecovery = Endpoint(
        page: "POST", "/account/recovery", "Take the signed cancellation of a recovery")
    static let showApprovals = Endpoint(
        page: "GET", "/account/approvals", "Show an admin who waits for a decision")
    static let switchWaitingMails = Endpoint(
        page: "POST", "/account/approvals/mails", "Turn mails about who waits on or off for an admin")
    static let showRefusals = Endpoint(
        page: "GET", "/account/refusals", "Show which devices an admin refuses at once")
    static let refuseDevices = Endpoint(
        page: "POST", "/account/refusals", "Take the signed refusals of several devices")
    static let showRecoveries = Endpoint(page: "GET", "/account/recoveries", "Show an admin the recoveries")
    static let showColleague = Endpoint(page: "GET", "/account/colleague", "Show an admin the devices of a colleague")
}

extension Route {
    static let showHome = Route(page: .showHome) { exchange in
        let isLoggedIn = try await PageVisit(exchange: exchange).session() != nil
        return .seeOther(isLoggedIn ? Endpoint.showAccount.template.text : AccountVisit.logInPath)
    }

    /// `GET /account`: who is logged in, and what the owner of the account should know.
    static let showAccount = account(.showAccount) { account in
        let passkeys = try await account.exchange.run(ReadPasskeys(caller: account.caller))
        let picker = passkeys.map { account.picker(of: $0) }
        var reply = try await account.home(picker: picker).reply()
        if picker?.offerPath != nil { reply.cookies.append(account.offered.setting("1", seconds: 30 * 86_400)) }
        return reply
    }

    /// `POST /account/logout`. It ends the session, and with it what applications have got in it.
    static let logOutOfAccount = Route(page: .logOutOfAccount, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch {
            return try await visit.refused(error) { _ in .seeOther(Endpoint.showAccount.template.text) }
        }
        try await exchange.run(CloseBrowserSession(cookie: form.cookie))
        var reply = try visit.reply(.loggedOut)
        reply.cookies = [exchange.cookie.deleting] + visit.flows.deletingWaits
        return reply
    }

    /// The routes of the account's pages.
    static let ofAccount = [
        showHome, showAccount, showFirstSteps, logOutOfAccount, mailAddressLink, setDisplayName, showDevices,
        nameDevice, showPasskey, issueOwnPasskeyChallenge, addPasskey, showDecision, makeDecision,
        showSessions, endSessionsOfAccount, showConsents, withdrawConsent, showRecovery, cancelOwnRecovery,
        showApprovals, switchWaitingMails, showRefusals, refuseDevices, showRecoveries, showColleague,
        showInvite, proposeInvitations, sendInvitations, showOwnCredentials, beginOwnChange,
        showNewAddress, mailNewAddress, proveNewAddress, changeAddress, showAddressUndo, undoAddress,
    ]
}

extension AccountSection {
    /// The pages that every account has.
    private static let own = [
        AccountSection(endpoint: .showAccount, word: "account.title"),
        AccountSection(endpoint: .showDevices, word: "devices.title"),
        AccountSection(endpoint: .showSessions, word: "sessions.title"),
        AccountSection(endpoint: .showConsents, word: "consents.title"),
        AccountSection(endpoint: .showOwnCredentials, word: "change.section"),
    ]

    private static let ofAdmins = [
        AccountSection(endpoint: .showApprovals, word: "approvals.title"),
        AccountSection(endpoint: .showRecoveries, word: "recoveries.title"),
        AccountSection(endpoint: .showColleague, word: "colleague.title"),
        AccountSection(endpoint: .showInvite, word: "invite.title"),
    ]

    /// The pages that somebody may see.
    static func all(for me: MeResponse) -> [AccountSection] {
        own + (me.mayDecide ? ofAdmins : [])
    }

    /// The page with the form that is sent to an endpoint: the last one whose path the endpoint's begins with.
    static func path(of endpoint: Endpoint) -> String {
        own.map(\.endpoint.template.text).last { endpoint.template.text.hasPrefix($0) }
            ?? Endpoint.showAccount.template.text
    }
}

extension AccountVisit {
    /// The first page of the account.
    ///
    /// - Parameters:
    ///   - problem: Why a form of the page was refused.
    ///   - entered: The name that was refused.
    func home(
        _ problem: AccountProblem? = nil, entered: String? = nil, picker: PasskeyPicker? = nil
    ) async throws -> HostedPage {
        let me = try await me(), notices = me.notices.compactMap { notice($0) }, waits = try await waits(me)
        let content = AccountHome(
            role: text(PageWord(role: me.role)),
            loggedInWith: text("account.since", me.session.createdAt.forPeople, name(ofApp: me.app.name)),
            waits: waits, saysNone: notices.isEmpty && waits == nil && me.emailVerified,
            hasNotices: !notices.isEmpty, notices: notices,
            address: me.emailVerified ? nil : address, picker: picker,
            names: try await names(of: me, entered: entered), form: form(.logOutOfAccount, "account"))
        return page(content, "account.title", of: me, at: .showAccount, problem: problem)
    }

    /// What waits for the person: devices of their own, and as an admin others; `nil` if nothing does.
    private func waits(_ me: MeResponse) async throws -> AccountHome.Waits? {
        let own = try await exchange.run(ListDevices(caller: caller)).count { $0.state == "pending" }
        var recoveries = 0
        if me.mayDecide, let found = try? await exchange.run(ListRecoveries(company: me.companyName, caller: caller)) {
            recoveries = found.count { $0.state != "confirmed" && $0.employee.employeeId != me.employeeId }
        }
        guard own + waiting.value + recoveries > 0 else { return nil }
        func link(_ count: Int, _ word: PageWord, _ endpoint: Endpoint) -> AccountHome.Link? {
            count == 0 ? nil : AccountHome.Link(text: text(word, "\(count)"), path: endpoint.template.text)
        }
        return AccountHome.Waits(
            own: link(own, "waits.own", .showDevices),
            others: [
                link(waiting.value, "waits.others", .showApprovals),
                link(recoveries, "waits.recoveries", .showRecoveries),
            ].compactMap(\.self))
    }

    /// A notice, with a link to what the owner can do; `nil` for a kind that says nothing to people.
    fileprivate func notice(_ notice: NoticeResponse) -> AccountHome.Notice? {
        let word: PageWord
        switch notice.type {
        case "recovery.opened": word = "notices.recoveryOpened"
        case "return.opened": word = "notices.returnOpened"
        case "return.completed": word = "notices.returnCompleted"
        case "email.changed": word = "notices.emailChanged"
        case "email.gave_way": word = "notices.emailGaveWay"
        default: return nil
        }
        let token = PercentEncoding.encode(recoveryForm.link(at: exchange.call.time))
        return AccountHome.Notice(
            text: text(word, notice.openedAt?.forPeople ?? "?", notice.cancelBefore?.forPeople ?? "?"),
            by: notice.openedBy.map { text("notices.openedBy", $0) },
            cancelPath: word == "notices.recoveryOpened"
                ? "\(Endpoint.showRecovery.template.text)?token=\(token)" : nil)
    }
}

/// Who is logged in, and what the owner of the account should know.
struct AccountHome: AccountContent {
    static let template: PageTemplate = "account"

    struct Notice: PagePart {
        let text: String
        let by: String?
        let cancelPath: String?
    }

    /// A sentence about what waits, with the page where the person decides.
    struct Link: PagePart {
        let text: String
        let path: String
    }

    /// What waits for the person.
    struct Waits: PagePart {
        /// The person's own devices, which gave right answers or the passphrase.
        let own: Link?
        let others: [Link]
    }

    /// What is said about an address that is not confirmed.
    struct Address: PagePart {
        let isMailed: Bool
        let form: FormPart
    }

    let role: String
    let loggedInWith: String
    let waits: Waits?
    let saysNone: Bool
    let hasNotices: Bool
    let notices: [Notice]
    let address: Address?
    let picker: PasskeyPicker?
    let names: AccountNames
    /// The form that logs out.
    let form: FormPart
}

extension PageWord {
    init(role: String) {
        self =
            switch role {
            case "securityAdmin": "account.securityAdmin"
            case "admin": "account.admin"
            default: "account.employee"
            }
    }
}
