import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer

/// The devices of a colleague, for an admin.
struct ColleagueContent: AccountContent {
    static let template: PageTemplate = "colleague"

    struct Device: PagePart {
        let fingerprint: String
        /// The user name of the person.
        let owner: String
        let words: String
        let times: [String]
        /// The form that leads to the signature of a removal.
        let form: FormPart
    }

    struct Person: PagePart {
        let id: String
        let address: String
        let devices: [Device]
    }

    let path: String
    /// What the reader looked for.
    let entered: String
    let isUnknown: Bool
    let person: Person?
}

extension Route {
    static let showColleague = account(.showColleague) { account in
        let me = try await account.me()
        guard let fields = try? FormReader(account.exchange.rawQuery.utf8),
            let entered = try? fields.text("name") ?? "",
            let position = fields.position("position")
        else { return try account.visit.reply(.malformed) }
        let name = String(entered.trimmingSpaces.prefix(320))
        do {
            let person = try await account.colleague(name, me, waitFor: position == 0 ? nil : position)
            let content = ColleagueContent(
                path: Endpoint.showColleague.template.text, entered: name, isUnknown: !name.isEmpty && person == nil,
                person: person.map { account.part($0) })
            return try account.page(content, "colleague.title", of: me, at: .showColleague).reply()
        } catch let error as ServiceError {
            guard let problem = AccountProblem(error) else { throw error }
            return try account.refused(problem, "colleague.title", me, .showAccount).reply()
        }
    }
}

extension AccountVisit {
    /// Finds a colleague by the user name or the address; `nil` if there is none.
    fileprivate func colleague(_ name: String, _ me: MeResponse, waitFor: Int64?) async throws -> EmployeeResponse? {
        let company = me.companyName, caller = Caller.employee(caller)
        // Whoever may not look gets the same answer for every name.
        try await requireRole(me)
        guard !name.isEmpty else { return nil }
        do {
            return try await exchange.run(
                ReadEmployee(company: company, companyEmployeeId: name, caller: caller, waitFor: waitFor))
        } catch let error as ServiceError where [.employeeUnknown, .requestInvalid].contains(error.code) {
            guard name.contains("@") else { return nil }
            let list = ListEmployees(company: company, .email(name), PageRequest(after: 0, limit: 1), caller: caller)
            guard let found = try? await exchange.run(list).items.first, let id = found.companyEmployeeId else {
                return nil
            }
            return try await exchange.run(ReadEmployee(company: company, companyEmployeeId: id, caller: caller))
        }
    }

    fileprivate func part(_ person: EmployeeResponse) -> ColleagueContent.Person {
        let id = person.companyEmployeeId ?? ""
        let devices = (person.keys ?? []).filter { $0.state == "authorized" }.map { key in
            let decided = key.decidedAt.map { text("devices.authorized", $0.forPeople) }
            return ColleagueContent.Device(
                fingerprint: key.fingerprint, owner: id, words: FingerprintWords(hex: key.fingerprint).text,
                times: [text("devices.presented", key.presentedAt.forPeople)] + (decided.map { [$0] } ?? []),
                form: FormPart(
                    action: Endpoint.showDecision.template.text,
                    token: DecisionPage.token(.revoke, key.fingerprint, of: id, self), request: key.fingerprint))
        }
        return ColleagueContent.Person(id: id, address: person.email ?? "", devices: devices)
    }
}

extension String {
    /// The text without spaces around it.
    fileprivate var trimmingSpaces: Substring {
        let head = drop { $0.isWhitespace }
        return head.prefix(head.count - head.reversed().prefix { $0.isWhitespace }.count)
    }
}
