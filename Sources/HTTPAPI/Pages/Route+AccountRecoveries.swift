import ErrorCodes
import IdentityService
import TenureAPI

/// The recoveries that admins open, confirm or cancel.
struct RecoveriesContent: AccountContent {
    static let template: PageTemplate = "recoveries"

    struct Item: PagePart {
        let person: String
        let state: String
        let until: String
        let openPath: String?
        let confirmPath: String?
        let cancelPath: String?
    }

    let recoveries: [Item]
}

extension Route {
    static let showRecoveries = account(.showRecoveries) { account in
        let me = try await account.me()
        do {
            let found = try await account.exchange.run(
                ListRecoveries(company: me.companyName, caller: account.caller))
            let content = RecoveriesContent(recoveries: found.map { account.item($0, me) })
            return try account.page(content, "recoveries.title", of: me, at: .showRecoveries).reply()
        } catch let error as ServiceError {
            guard let problem = AccountProblem(error) else { throw error }
            return try account.refused(problem, "recoveries.title", me, .showAccount).reply()
        }
    }
}

extension AccountVisit {
    /// A recovery with what the reader may do now. Nobody opens their own, or does both.
    fileprivate func item(_ recovery: RecoveryResponse, _ me: MeResponse) -> RecoveriesContent.Item {
        let owner = recovery.employee.companyEmployeeId ?? "", isOwn = recovery.employee.employeeId == me.employeeId
        func link(_ action: DecisionPage.Action, if mayDecide: Bool) -> String? {
            mayDecide ? DecisionPage.path(action, recovery.fingerprint, of: owner, self) : nil
        }
        let available = recovery.availableAt?.forPeople ?? "?", state: String
        switch recovery.state {
        case "waiting": state = text("recoveries.waiting", recovery.requestedAt.forPeople)
        case "opened" where !recovery.soleAdmin:
            state = text("recoveries.opened", recovery.openedBy ?? "?", available)
        default: state = text("recoveries.confirmed", available)
        }
        let mayConfirm =
            recovery.state == "opened" && !recovery.soleAdmin && recovery.openedBy != me.companyEmployeeId
        return RecoveriesContent.Item(
            person: owner, state: state, until: text("recoveries.until", recovery.expiresAt.forPeople),
            openPath: link(.open, if: recovery.state == "waiting" && !isOwn),
            confirmPath: link(.confirm, if: mayConfirm), cancelPath: link(.cancel, if: recovery.state != "waiting"))
    }
}
