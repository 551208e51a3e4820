import Canonical
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// A history in which everybody does what they may: nothing is found in it.
@Suite struct LawfulHistoryTests {
    @Test func `every kind of decision by an authorized caller is lawful`() throws {
        var scene = try HistoryScene()
        let founder = SignedHistory.Decider.member(scene.founder, scene.founder.device)
        let admin = SignedHistory.Decider.member(scene.admin, scene.admin.device)
        try scene.confirmDomain()
        try scene.change(TenantPolicy(approval: .admin, recoveryDelayHours: 48), by: founder)
        // A newcomer, approved by an app, with a key that another device of theirs authorizes.
        try scene.history.register(scene.newcomer, approved: false)
        try scene.history.present(scene.newcomer.device, of: scene.newcomer)
        try scene.authorize(scene.newcomer.device, of: scene.newcomer, by: .app(scene.app))
        let approval = try scene.status(.approve, scene.newcomer, by: .app(scene.personnel))
        try scene.history.append(EmployeeApproved(employeeID: scene.newcomer.id, by: approval), about: scene.newcomer)
        try scene.history.present(scene.waiting, of: scene.newcomer)
        try scene.authorize(scene.waiting, of: scene.newcomer, by: .member(scene.newcomer, scene.newcomer.device))
        try scene.end(.revoke, scene.newcomer.device, of: scene.newcomer, by: .member(scene.newcomer, scene.waiting))
        // The security admin names a key that an app vouched for, having compared it.
        try scene.appoint(scene.newcomer, keys: [scene.waiting], by: founder)
        let asAdmin = SignedHistory.Decider.member(scene.newcomer, scene.waiting)
        try scene.cancel(scene.staff, by: asAdmin)
        try scene.reinstate(scene.staff, by: admin)
        // A cancelled admin is dismissed by the same statement.
        let cancellation = try scene.status(.cancel, scene.newcomer, by: founder)
        try scene.history.append(
            EmployeeCancelled(employeeID: scene.newcomer.id, reason: .cancelled, by: cancellation),
            about: scene.newcomer)
        try scene.history.append(AdminDismissed(employeeID: scene.newcomer.id, by: cancellation))
        // An address is reclaimed with its account.
        let reclaim = try scene.reclaim(scene.staff, by: .app(scene.personnel))
        try scene.history.append(
            EmailReclaimed(
                employeeID: scene.staff.id, userID: scene.staff.user, reason: Personal(scene.staff.id, "left"),
                by: reclaim), about: scene.staff)
        try scene.history.append(
            EmployeeCancelled(employeeID: scene.staff.id, reason: .reclaimed, by: reclaim), about: scene.staff)
        try scene.dismiss(scene.peer, by: founder)
        try scene.logIn(scene.founder)
        try scene.succeed(scene.admin, by: founder)
        try scene.link(scene.personnel.app, roles: .usual, by: admin)
        try scene.history.seal()
        try scene.history.expectLawful()
    }

    @Test func `a reclaimed admin is dismissed by the same statement`() throws {
        var scene = try HistoryScene()
        try scene.confirmDomain()
        let by = try scene.reclaim(scene.peer, by: .member(scene.founder, scene.founder.device))
        try scene.history.append(
            EmailReclaimed(
                employeeID: scene.peer.id, userID: scene.peer.user, reason: Personal(scene.peer.id, "left"), by: by),
            about: scene.peer)
        try scene.history.append(
            EmployeeCancelled(employeeID: scene.peer.id, reason: .reclaimed, by: by), about: scene.peer)
        try scene.history.append(AdminDismissed(employeeID: scene.peer.id, by: by))
        try scene.history.expectLawful()
    }

    @Test func `a cancelled registration releases its employee id`() throws {
        var scene = try HistoryScene()
        try scene.history.register(scene.newcomer)
        let by = try scene.status(.cancel, scene.newcomer, by: .member(scene.admin, scene.admin.device))
        try scene.history.append(
            EmployeeCancelled(employeeID: scene.newcomer.id, reason: .cancelled, by: by), about: scene.newcomer)
        try scene.history.append(
            EmployeeIdReleased(employeeID: scene.newcomer.id, reason: .cancelled, by: by), about: scene.newcomer)
        try scene.history.expectLawful()
    }

    @Test func `verification without the system ledger notes what it could not prove`() throws {
        let scene = try HistoryScene()
        var inspector = LogInspector(checksSignatures: true, system: nil)
        for event in scene.history.events { #expect(inspector.inspect(event) ?? inspector.follow(event) == nil) }
        let words = "decisions by apps are not proved, because this check lacks the system ledger"
        let notHeld = "the times of events are not held against checkpoints, whose records are not held"
        #expect(inspector.trail.notes(of: scene.history.ledger).map(\.detail) == ["3 \(words)", notHeld])
    }
}
