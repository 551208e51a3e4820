import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// Histories with one violation each, appended past the service: each is found where it is and named.
@Suite struct UnlawfulHistoriesTests {
    private typealias Step = HistoryScene.Step

    private func expect(
        _ words: String, after arrange: Step = { _ in }, _ violate: Step,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try HistoryScene.expect(words, after: arrange, violate, sourceLocation: sourceLocation)
    }

    // MARK: Without a signature

    @Test func `verification reports an unsigned decision about an account or a key`() throws {
        let reason = try #require(ReasonCode("lost"))
        try expect("the decision to authorize a pending device key has no signature") { scene in
            try scene.history.present(scene.waiting, of: scene.staff)
        } _: { scene in
            try scene.history.append(
                EmployeeKeyAuthorized(
                    employeeID: scene.staff.id, key: scene.waiting.key, by: .employee(scene.founder.id, nil)),
                about: scene.staff)
        }
        try expect("the decision to refuse or revoke a device key has no signature") { scene in
            try scene.history.append(
                EmployeeKeyRevoked(
                    employeeID: scene.staff.id, key: scene.staff.device.key, reason: reason,
                    by: .app(scene.app.app, secret: scene.app.secret, nil)), about: scene.staff)
        }
        try expect("the decision to cancel an account has no signature") { scene in
            try scene.history.append(
                EmployeeCancelled(employeeID: scene.staff.id, reason: .cancelled, by: .employee(scene.admin.id, nil)),
                about: scene.staff)
        }
        try expect("the decision to end all sessions has no signature") { scene in
            try scene.history.append(
                EmployeeSessionsEnded(
                    employeeID: scene.staff.id, reason: reason, by: .employee(scene.admin.id, nil)),
                about: scene.staff)
        }
        try expect("the decision to erase personal data has no signature") { scene in
            try scene.history.append(EmployeeErased(employeeID: scene.staff.id, by: .operator(nil)), about: scene.staff)
        }
    }

    @Test func `verification reports an unsigned decision about the tenant`() throws {
        try expect("the decision to appoint an admin has no signature") { scene in
            try scene.history.append(
                AdminAppointed(
                    employeeID: scene.staff.id, fingerprints: HistoryScene.fingerprints([scene.staff.device]),
                    by: .employee(scene.founder.id, nil)))
        }
        try expect("the decision to change the policy or the registration mode has no signature") { scene in
            try scene.history.append(
                TenantPolicyChanged(policy: TenantPolicy(approval: .admin), by: .employee(scene.founder.id, nil)))
        }
        try expect("the decision to link or unlink an app, set the roles of a link has no signature") { scene in
            try scene.history.append(AppLinked(appID: AppID(UUID()), by: .operator(nil)))
        }
        try expect("the decision to name the next security admin has no signature") { scene in
            try scene.history.append(
                SecurityAdminSucceeded(
                    employeeID: scene.peer.id, fingerprints: HistoryScene.fingerprints([scene.peer.device]),
                    by: .operator(nil)))
        }
        try expect("the decision to confirm a domain has no signature") { scene in
            try scene.history.append(
                DomainConfirmed(domain: "acme.example", aLabel: "acme.example", by: .operator(nil)))
        }
        try expect("the caller may not appoint an admin; the decision is about an ordinary employee") { scene in
            try scene.history.append(
                AdminAppointed(
                    employeeID: scene.staff.id, fingerprints: HistoryScene.fingerprints([scene.staff.device]),
                    by: .policy))
        }
    }

    // MARK: Keys and roles that are none

    @Test func `verification reports an admin's decision by a key that an app vouched for`() throws {
        try expect("the caller may not cancel an account; the decision is about an ordinary employee") { scene in
            try scene.cancel(scene.staff, by: .member(scene.admin, scene.admin.vouched))
        }
        try expect("the caller may not authorize a pending device key; the decision is about an admin") { scene in
            try scene.history.present(scene.waiting, of: scene.admin)
        } _: { scene in
            try scene.authorize(scene.waiting, of: scene.admin, by: .member(scene.admin, scene.admin.vouched))
        }
    }

    @Test func `verification reports decisions by a cancelled admin's key or a revoked key`() throws {
        try expect("the signer's key was not authorized then") { scene in
            try scene.end(
                .revoke, scene.admin.device, of: scene.admin, by: .member(scene.founder, scene.founder.device))
        } _: { scene in
            try scene.cancel(scene.staff, by: .member(scene.admin, scene.admin.device))
        }
        try expect("the signer's key was not authorized then") { scene in
            let founder = SignedHistory.Decider.member(scene.founder, scene.founder.device)
            try scene.cancel(scene.admin, by: founder)
            try scene.reinstate(scene.admin, by: founder)
        } _: { scene in
            try scene.cancel(scene.staff, by: .member(scene.admin, scene.admin.device))
        }
        try expect("the signer's key was not authorized then") { scene in
            try scene.cancel(scene.staff, by: .member(scene.newcomer, scene.newcomer.device))
        }
    }

    @Test func `verification reports a role that the secret or the link lacks`() throws {
        let words = "the caller may not authorize a pending device key; the decision is about an ordinary employee"
        let present: Step = { try $0.history.present($0.waiting, of: $0.staff) }
        let authorize: Step = { try $0.authorize($0.waiting, of: $0.staff, by: .app($0.app)) }
        try expect(words) { scene in
            try present(&scene)
            try scene.link(scene.app.app, roles: try #require(RoleSet([.access, .creation])))
        } _: {
            try authorize(&$0)
        }
        try expect(words) { scene in
            try present(&scene)
            try scene.unlink(scene.personnel.app)
            try scene.link(scene.personnel.app, roles: .usual)
        } _: { scene in
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.personnel))
        }
        try expect("the caller may not cancel an account; the decision is about an ordinary employee") { scene in
            try scene.unlink(scene.personnel.app)
        } _: { scene in
            try scene.cancel(scene.staff, by: .app(scene.personnel))
        }
    }

    @Test func `verification reports an app that reinstates what a person cancelled`() throws {
        try expect("the caller may not reinstate an account; the decision is about an ordinary employee") {
            scene in
            try scene.cancel(scene.staff, by: .member(scene.admin, scene.admin.device))
        } _: { scene in
            try scene.reinstate(scene.staff, by: .app(scene.personnel))
        }
    }

    @Test func `verification reports an authorized key that was never pending, and dead role keys`() throws {
        try expect("the decision is refused in this state (authorize a pending device key): unknownKey") { scene in
            try scene.end(
                .revoke, scene.staff.vouched, of: scene.staff, by: .member(scene.admin, scene.admin.device))
        } _: { scene in
            try scene.authorize(scene.staff.vouched, of: scene.staff, by: .app(scene.app))
        }
        try expect("the decision is refused in this state (appoint an admin): noRoleKey") { scene in
            try scene.appoint(
                scene.staff, keys: [scene.waiting], by: .member(scene.founder, scene.founder.device))
        }
        try expect("the decision is refused in this state (link or unlink an app, set the roles of a link): lastApp") {
            scene in
            try scene.unlink(scene.personnel.app)
        } _: {
            try $0.unlink($0.app.app)
        }
    }

    // MARK: Places and times

    @Test func `verification reports an event in another stream or of a second founding`() throws {
        try expect("the event is not in its subject's stream") { scene in
            let by = try scene.status(
                .cancel, scene.staff, by: .member(scene.admin, scene.admin.device))
            try scene.history.append(
                EmployeeCancelled(employeeID: scene.staff.id, reason: .cancelled, by: by), about: scene.peer)
        }
        try expect("a key that is not the founder's first has no signature") { scene in
            try scene.history.present(scene.waiting, of: scene.founder)
        } _: { scene in
            try scene.history.append(
                EmployeeKeyAuthorized(employeeID: scene.founder.id, key: scene.waiting.key, by: .founding),
                about: scene.founder)
        }
        try expect("an app is linked by founding when the tenant was founded already") { scene in
            try scene.history.append(AppLinked(appID: AppID(UUID()), by: .founding))
        }
        try expect("the account is not approved as the policy says") { scene in
            try scene.change(TenantPolicy(approval: .admin), by: .member(scene.founder, scene.founder.device))
        } _: {
            try $0.history.register($0.newcomer, approved: true)
        }
        try expect("an account is registered a second time") { try $0.history.register($0.staff) }
    }

    @Test func `verification reports a session of an unlinked app`() throws {
        try expect("a session is opened by an app that is not linked") {
            try $0.unlink($0.personnel.app)
        } _: { scene in
            let id = SessionID(UUID())
            try scene.history.append(
                SessionOpened(
                    sessionID: id, employeeID: scene.staff.id, fingerprint: KeyFingerprint(of: scene.staff.device.key),
                    expiresAt: scene.history.time, appID: scene.personnel.app, secretID: scene.personnel.secret),
                to: .session(id.uuid, in: scene.history.tenant))
        }
    }

    @Test func `verification reports an employee id released too early or without authority`() throws {
        func release(_ reason: ReleaseReason, _ by: Authority = .policy) -> Step {
            { scene in
                try scene.history.append(
                    EmployeeIdReleased(employeeID: scene.newcomer.id, reason: reason, by: by), about: scene.newcomer)
            }
        }
        let register: Step = { scene in
            try scene.history.register(scene.newcomer)
            try scene.history.present(scene.waiting, of: scene.newcomer)
        }
        try expect("the employee id is released before its time is over", after: register, release(.expired))
        try expect(
            "the employee id is released for an invitation that was not used", after: register, release(.invited))
        try expect("the employee id is released without authority", after: register, release(.cancelled))
        try expect("the released employee id is no longer provisional") { scene in
            try scene.history.append(
                EmployeeIdReleased(employeeID: scene.staff.id, reason: .expired, by: .policy), about: scene.staff)
        }
        var scene = try HistoryScene()
        try register(&scene)
        scene.history.time = scene.history.time.adding(Employee.provisionalLifetime)
        try release(.expired)(&scene)
        try scene.history.expectLawful()
    }
}
