import Canonical
@testable import Identity
import Testing

@Suite struct `Registering an employee` {
    @Test func `the founder is approved and has an authorized key`() throws {
        let strict = TenantPolicy(keyAuthorization: .securityAdmin, approval: .admin)
        let events = try Employee.decide(Employee.initial, .register(Scene.register(founding: true, policy: strict)))
        #expect(
            events == [
                .registered(
                    EmployeeRegistered(
                        employeeID: Scene.employee, userID: Scene.user, companyName: "BayunSystems.com",
                        companyEmployeeID: Personal(Scene.employee, "Zoë"),
                        email: Personal(Scene.employee, "zoe@bayunsystems.com"), isCompanyOwnedEmail: true,
                        approved: true)),
                .keyPresented(
                    EmployeeKeyPresented(
                        employeeID: Scene.employee, key: Scene.firstKey, flow: EventSamples.flow, first: true)),
                .keyAuthorized(
                    EmployeeKeyAuthorized(employeeID: Scene.employee, key: Scene.firstKey, by: .founding)),
            ])
    }

    @Test(arguments: Approval.allCases)
    func `other employees have a pending key and are approved as the policy says`(approval: Approval) throws {
        let state = try Scene.state([.register(Scene.register(policy: TenantPolicy(approval: approval)))])
        let account = try #require(state.account)
        #expect(account.status == (approval == .automatic ? .active : .registered))
        #expect(state.standing(of: Scene.firstKey, at: Scene.now) == .pending)
        #expect(Employee.registration(state, key: Scene.firstKey) == .authorizationPending(presenting: []))
    }

    @Test func `only the founder's registration names the company`() throws {
        let events = try Employee.decide(Employee.initial, .register(Scene.register()))
        guard case .registered(let event) = events.first else { throw EventError(.invalidValue, "first") }
        #expect(event.companyName == nil)
    }

    @Test func `an employee registers once`() throws {
        let state = try Scene.state([.register(Scene.register(founding: true))])
        #expect(throws: Employee.Rejection.alreadyRegistered) {
            try Employee.decide(state, .register(Scene.register(email: "other@example.org", owned: false)))
        }
    }

    @Test(arguments: ["zoe@gmail.com", "zoe@sub.bayunsystems.com", "zoë@bayunsystems.com.dummy-email"])
    func `an address of another domain is not the company's`(email: String) throws {
        #expect(throws: Employee.Rejection.emailNotCompanyOwned) {
            try Employee.decide(Employee.initial, .register(Scene.register(email: email, owned: true)))
        }
        let state = try Scene.state([.register(Scene.register(email: email, owned: false))])
        #expect(state.account?.isCompanyOwnedEmail == false)
    }

    @Test func `no session is opened before the approval`() throws {
        let policy = TenantPolicy(keyAuthorization: .automatic, approval: .admin)
        let decision = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        let state = try Scene.state([
            .register(Scene.register(policy: policy)),
            Scene.authorize(Scene.firstKey, by: decision, policy: .automatic),
        ])
        #expect(Employee.registration(state, key: Scene.firstKey) == .notApproved)
    }
}
