import IdentityService
import TenureAPI

extension Endpoint {
    static let setDisplayName = Endpoint(page: "POST", "/account/name", "Set the name that colleagues see")
}

extension Route {
    static let setDisplayName = accountForm(.setDisplayName) { account, form in
        let name = (try? form.fields.text("displayName")) ?? ""
        do {
            try await account.exchange.run(SetDisplayName(name: name, caller: account.caller))
        } catch let error as ServiceError {
            guard var problem = AccountProblem(error) else { throw error }
            // The owner changes the name as often as the state of the account has room for.
            switch problem.word {
            case "problem.notPermitted": problem = AccountProblem(word: "problem.tooOften", status: problem.status)
            case "problem.invalid": problem = AccountProblem(word: "name.invalid", status: problem.status)
            default: break
            }
            return try await account.home(problem, entered: name).reply()
        }
        return .seeOther(Endpoint.showAccount.template.text)
    }
}

/// The names of a person: the user name, which stays, and the name that colleagues see.
struct AccountNames: PagePart {
    /// The user name; `nil` once erased.
    let userName: String?
    /// The address; `nil` once released.
    let address: String?
    /// The entry in the form.
    let displayName: String
    let form: FormPart
}

extension AccountVisit {
    /// The names on the first page.
    ///
    /// - Parameter entered: What was entered and refused.
    func names(of me: MeResponse, entered: String?) async throws -> AccountNames {
        let name: String? =
            if let entered { entered } else {
                try await exchange.run(ReadDisplayName(caller: caller))
            }
        return AccountNames(
            userName: me.companyEmployeeId,
            address: try await exchange.run(ReadOwnAddress(caller: caller)).address, displayName: name ?? "",
            form: form(.setDisplayName, "name"))
    }
}
