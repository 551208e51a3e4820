import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// Copies of lawful signed decisions, appended a second time under a new id after the decision was taken back.
///
/// The service does not obey them, and verification finds them.
@Suite struct RepeatedDecisionTests {
    private static let words = "the statement was used before"

    @Test func `a copy of an appointment makes no dismissed admin an admin again`() throws {
        var scene = try HistoryScene()
        try scene.appoint(scene.staff, keys: [scene.staff.device], by: scene.asFounder)
        let appointment = scene.history.latest
        try scene.dismiss(scene.staff, by: scene.asFounder)
        try scene.history.expectLawful()
        try scene.history.copy(appointment)
        try scene.history.expectFinding(Self.words)
        #expect(try scene.history.loadTenant().role(of: scene.staff.id) == .employee)
    }

    @Test func `a copy of a link does not let an unlinked app read again`() throws {
        var scene = try HistoryScene()
        let app = AppID(UUID())
        try scene.link(app, roles: .usual)
        let link = scene.history.latest
        try scene.unlink(app)
        try scene.history.expectLawful()
        try scene.history.copy(link)
        try scene.history.expectFinding(Self.words)
        #expect(try scene.history.loadTenant().links[app] == nil)
    }

    @Test func `a copy of an issue brings no revoked app secret back`() throws {
        var scene = try HistoryScene()
        let app = try scene.history.makeApp(.access)
        let issue = scene.history.latest
        try scene.history.revoke(app)
        try scene.history.expectLawful()
        try scene.history.copy(issue)
        try scene.history.expectFinding(Self.words)
        #expect(try scene.history.loadApp(app.app).secrets[app.secret]?.isInForce == false)
    }

    @Test func `a copy of a reinstatement brings no cancelled person back`() throws {
        var scene = try HistoryScene()
        try scene.cancel(scene.staff, by: scene.asAdmin)
        try scene.reinstate(scene.staff, by: scene.asAdmin)
        let reinstatement = scene.history.latest
        try scene.cancel(scene.staff, by: scene.asAdmin)
        try scene.history.expectLawful()
        try scene.history.copy(reinstatement)
        try scene.history.expectFinding(Self.words)
        #expect(try scene.history.loadEmployee(scene.staff).account?.status == .cancelled)
    }
}

extension SignedHistory {
    /// The tenant as the service loads one.
    func loadTenant() throws -> Tenant.State {
        let stream = StreamID.tenant(tenant)
        return try StateLoader.tenant(tenant, events.first, StreamEvents(events.filter { $0.stream == stream })).state
    }

    /// An employee as the service loads one.
    func loadEmployee(_ member: Member) throws -> Employee.State {
        let stream = StreamID.employee(member.id, in: tenant)
        return try StateLoader.employee(member.id, StreamEvents(events.filter { $0.stream == stream })).state
    }

    /// An app as the service loads one.
    func loadApp(_ app: AppID) throws -> App.State {
        let stream = StreamID.app(app)
        return try StateLoader.app(app, StreamEvents(system.filter { $0.stream == stream })).state
    }
}
