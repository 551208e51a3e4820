import IdentityService
import TenureAPI
import TenureServer

/// Who waits for an admin.
struct ApprovalsContent: AccountContent {
    static let template: PageTemplate = "approvals"

    struct Item: PagePart {
        let person: String
        let address: String
        /// The name that the person chose.
        let name: String?
        /// That the name looks like an admin's.
        let warning: String?
        /// Whether the address is confirmed.
        let state: String
        /// Whether it is a new person or a further device.
        let kind: String
        let came: String
        let device: String?
        let network: String?
        let since: String
        /// What the form that refuses several devices says of this one; `nil` for a person.
        let choice: String?
        /// Why the reader may not decide.
        let hint: String?
        let approvePath: String?
        let refusePath: String?
    }

    /// Whether the reader gets mails about who waits, and the button that changes it.
    struct Mails: PagePart {
        struct Button: PagePart {
            let caption: String
            /// What the form says: `on` or `off`.
            let choice: String
            let form: FormPart
        }

        let state: String
        let button: Button?
    }

    let text: String
    let hasWaiting: Bool
    let waiting: [Item]
    let nextPath: String?
    /// Where the form that refuses several devices leads.
    let refusalsPath: String
    let token: String
    /// `nil` in a service without mails.
    let mails: Mails?
}

extension AccountVisit {
    /// The list of who waits.
    ///
    /// - Parameter after: The number of entries before the page.
    func approvals(_ found: ListWaiting.Answer, after: Int, _ me: MeResponse) async throws -> HostedPage {
        let isOwner = me.session.role == "securityAdmin", path = Endpoint.showApprovals.template.text
        let next = after + found.entries.count
        let content = ApprovalsContent(
            text: text("approvals.count", "\(found.count)"), hasWaiting: !found.entries.isEmpty,
            waiting: found.entries.map { item($0, mayDecide: isOwner || !$0.isAdministrative) },
            nextPath: next < found.count && !found.entries.isEmpty ? "\(path)?after=\(next)" : nil,
            refusalsPath: Endpoint.showRefusals.template.text, token: refusals([]).link(at: exchange.call.time),
            mails: try await mails())
        return page(content, "approvals.title", of: me, at: .showApprovals)
    }

    private func mails() async throws -> ApprovalsContent.Mails? {
        func button(_ caption: PageWord, _ choice: String) -> ApprovalsContent.Mails.Button {
            ApprovalsContent.Mails.Button(
                caption: text(caption), choice: choice, form: form(.switchWaitingMails, "waiting-mails"))
        }
        return switch try await exchange.run(SwitchWaitingMails(caller: caller)) {
        case .on: .init(state: text("approvals.mailsOn"), button: button("approvals.mailsStop", "off"))
        case .off: .init(state: text("approvals.mailsOff"), button: button("approvals.mailsStart", "on"))
        case .unconfirmed: .init(state: text("approvals.mailsUnconfirmed"), button: nil)
        case .none: nil
        }
    }

    private func item(_ entry: WaitingEntry, mayDecide: Bool) -> ApprovalsContent.Item {
        let owner = entry.companyEmployeeId, device = entry.device
        // A person is approved before the device, which could not log in otherwise.
        let key = entry.needsApproval ? nil : device
        let actions: (approve: DecisionPage.Action, refuse: DecisionPage.Action) =
            key == nil ? (.approve, .reject) : (.authorize, .refuse)
        func link(_ action: DecisionPage.Action) -> String? {
            mayDecide ? DecisionPage.path(action, key?.fingerprint ?? "", of: owner, self) : nil
        }
        let kind: PageWord =
            entry.needsApproval
            ? "approvals.person" : entry.isNewPerson ? "approvals.newPerson" : "approvals.furtherDevice"
        return ApprovalsContent.Item(
            person: owner, address: entry.address, name: entry.name?.text,
            warning: entry.name?.looksLikeAdmin == true ? text("approvals.alike") : nil,
            state: text(entry.isAddressConfirmed ? "approvals.confirmed" : "approvals.unconfirmed"),
            kind: text(kind), came: text(PageWord(origin: entry.origin)),
            device: device.map { $0.name ?? text("devices.nameless") },
            network: device.flatMap { $0.network.isEmpty ? nil : $0.network },
            since: device.map { text("approvals.since", entry.since.forPeople, $0.expiresAt.forPeople) }
                ?? text("approvals.sinceOnly", entry.since.forPeople),
            choice: mayDecide ? key.map { RefusedDevice(fingerprint: $0.fingerprint, owner: owner).text } : nil,
            hint: mayDecide ? nil : text("approvals.ownerDecides"), approvePath: link(actions.approve),
            refusePath: link(actions.refuse))
    }
}

extension PageWord {
    /// The text for how a person came.
    init(origin: WaitingEntry.Origin) {
        self =
            switch origin {
            case .invited: "approvals.invited"
            case .domain: "approvals.domain"
            case .open: "approvals.open"
            }
    }
}
