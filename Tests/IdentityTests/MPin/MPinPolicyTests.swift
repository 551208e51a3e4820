import Canonical
@testable import Identity
import Testing

@Suite struct MPinPolicyTests {
    @Test func `the security admin alone changes the policy, and again without an event`() throws {
        var state = Tenants.founded()
        #expect(state.mpinPolicy == .initial && state.mpinPolicySince == nil)
        let policy = MPinPolicy(verification: .application, maximumFailures: 5, opensSessions: true)
        let by = try Scene.decision(Scene.securityAdmin)
        #expect(
            try Tenants.apply(.changeMPinPolicy(policy, by), to: &state)
                == [.mpinPolicyChanged(MPinPolicyChanged(policy: policy, by: by.authority))])
        #expect(state.mpinPolicy == policy && state.mpinPolicySince?.position == 9)
        #expect(state.policy == .initial && state.policySince == nil)
        #expect(try Tenants.apply(.changeMPinPolicy(policy, by), to: &state) == [])
        for caller in [Scene.person(), Scene.appCaller(), Scene.personnelApp, .operator(Scene.operatorKey)] {
            #expect(throws: Tenant.Rejection.notPermitted) {
                try Tenant.decide(state, .changeMPinPolicy(.initial, Scene.decision(caller)))
            }
        }
        #expect(throws: Tenant.Rejection.unknownTenant) {
            try Tenant.decide(Tenant.initial, .changeMPinPolicy(policy, by))
        }
    }

    @Test func `the initial policy is that of the specification`() {
        #expect(
            MPinPolicy.initial
                == MPinPolicy(enabled: true, verification: .email, maximumFailures: 3, opensSessions: false))
    }

    @Test(arguments: [0, 6, -1])
    func `a limit out of range is refused and never recorded`(limit: Int) throws {
        let by = try Scene.decision(Scene.securityAdmin), policy = MPinPolicy(maximumFailures: limit)
        #expect(throws: Tenant.Rejection.invalidPolicy) {
            try Tenant.decide(Tenants.founded(), .changeMPinPolicy(policy, by))
        }
        #expect(throws: EventError.self) {
            try GoldenFiles.encode(MPinPolicyChanged(policy: policy, by: by.authority))
        }
    }
}
