import Canonical
@testable import Identity
import Testing

@Suite struct MPinEndTests {
    typealias Refusal = MPinIdentity.Rejection

    /// Who may revoke an identity that is linked to an account of this role.
    private func mayRevoke(_ caller: DecidingParty, role: EmployeeRole, isReclaim: Bool = false) throws -> Bool {
        let account = AuthoritySubject(Scene.employee, of: Scene.user, role: role)
        let command = try MPinScene.revoke(Scene.decision(caller), account: account, isReclaim: isReclaim)
        let linked = try MPinLinkTests.linked()
        do throws(Refusal) {
            return try MPinIdentity.decide(linked, command).count == 1
        } catch {
            #expect(error == .notPermitted)
            return false
        }
    }

    @Test func `an identity that is not linked is revoked by an app or an admin`() throws {
        for caller in [Scene.appCaller(), Scene.person(), Scene.securityAdmin] {
            let events = try MPinIdentity.decide(
                MPinScene.registered(), MPinScene.revoke(Scene.decision(caller)))
            let by = try Scene.decision(caller).authority
            #expect(events == [.revoked(MPinRevoked(reason: .revoked, by: by))])
        }
        for caller in [Scene.personnelApp, Scene.person(role: .employee), .operator(Scene.operatorKey)] {
            #expect(throws: Refusal.notPermitted) {
                try MPinIdentity.decide(MPinScene.registered(), MPinScene.revoke(Scene.decision(caller)))
            }
        }
    }

    @Test func `a linked identity is revoked as its account's role permits`() throws {
        func owner(_ role: EmployeeRole) -> DecidingParty {
            Scene.person(Scene.employee, user: Scene.user, role: role, keys: [Scene.firstKey])
        }
        #expect(try mayRevoke(Scene.appCaller(), role: .employee))
        #expect(try mayRevoke(Scene.person(), role: .employee))
        #expect(try mayRevoke(owner(.employee), role: .employee))
        #expect(try !mayRevoke(Scene.appCaller(), role: .admin))
        #expect(try !mayRevoke(Scene.person(), role: .admin))
        #expect(try mayRevoke(Scene.securityAdmin, role: .admin))
        #expect(try mayRevoke(owner(.admin), role: .admin))
        #expect(try !mayRevoke(Scene.securityAdmin, role: .securityAdmin))
        #expect(try mayRevoke(owner(.securityAdmin), role: .securityAdmin))
    }

    @Test func `an address that gave way ends an identity that is linked, once, and no other`() throws {
        var linked = try MPinLinkTests.linked()
        let events = try MPinIdentity.decide(linked, .giveWay(Scene.user))
        #expect(events == [.revoked(MPinRevoked(reason: .gaveWay, by: .policy, userID: Scene.user))])
        for event in events { MPinIdentity.evolve(&linked, Sample.recorded(event)) }
        #expect(linked.end == .revoked(.gaveWay))
        #expect(try MPinIdentity.decide(linked, .giveWay(Scene.user)) == [])
        #expect(try MPinIdentity.decide(MPinScene.registered(), .giveWay(Scene.user)) == [])
    }

    @Test func `a reclaim of the address revokes by the row of reclaims`() throws {
        #expect(try mayRevoke(Scene.personnelApp, role: .employee, isReclaim: true))
        #expect(try !mayRevoke(Scene.appCaller(), role: .employee, isReclaim: true))
        #expect(try !mayRevoke(Scene.personnelApp, role: .admin, isReclaim: true))
        let by = try Scene.decision(Scene.person())
        #expect(
            try MPinIdentity.decide(MPinScene.registered(), MPinScene.revoke(by, isReclaim: true))
                == [.revoked(MPinRevoked(reason: .reclaimed, by: by.authority))])
    }

    @Test func `a revocation must name the linked account`() throws {
        let other = AuthoritySubject(Scene.admin, of: Sample.id(30), role: .employee)
        for account in [nil, other] {
            #expect(throws: Refusal.notPermitted) {
                try MPinIdentity.decide(MPinLinkTests.linked(), MPinScene.revoke(account: account))
            }
        }
        #expect(throws: Refusal.notPermitted) {
            try MPinIdentity.decide(MPinScene.registered(), MPinScene.revoke(account: MPinScene.subject))
        }
    }

    @Test func `an erasure needs the operator, happens once and ends the identity`() throws {
        for caller in [Scene.securityAdmin, Scene.appCaller()] {
            #expect(throws: Refusal.notPermitted) {
                try MPinIdentity.decide(MPinScene.registered(), .erase(Scene.decision(caller)))
            }
        }
        for state in [try MPinScene.registered(), try MPinScene.blocked(), try MPinScene.started()] {
            var state = state
            let wasBlocked = state.status(at: MPinScene.soon) == .blocked
            try MPinScene.run(.erase(Scene.operated()), on: &state)
            #expect(state.isErased && !state.isUnverified)
            #expect(state.status(at: MPinScene.soon) == (wasBlocked ? .blocked : .revoked))
            #expect(try MPinIdentity.decide(state, .erase(Scene.operated())) == [])
            for command in [try MPinScene.issue(), MPinScene.prove(true), .restart(.initial, at: MPinScene.soon)] {
                #expect(throws: wasBlocked ? Refusal.blocked : .revoked) { try MPinIdentity.decide(state, command) }
            }
        }
    }

    @Test func `nothing but an erasure follows the end of a stream`() throws {
        let others = try EventSamples.mpin().compactMap(MPinIdentityEvent.init)
        for state in [try MPinScene.blocked(), try MPinScene.revoked()] {
            for event in others {
                var state = state
                let end = state.end
                MPinIdentity.evolve(&state, Sample.recorded(event))
                #expect(state.end == end)
            }
        }
    }
}
