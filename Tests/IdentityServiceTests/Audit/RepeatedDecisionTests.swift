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
/// Only a process with the service's keys can append one; verification finds it.
@Suite struct RepeatedDecisionTests {
    private static let words = "the statement was used before"

    @Test func `a copy of an appointment is found after the dismissal`() throws {
        var scene = try HistoryScene()
        try scene.appoint(scene.staff, keys: [scene.staff.device], by: scene.asFounder)
        let appointment = scene.history.latest
        try scene.dismiss(scene.staff, by: scene.asFounder)
        try scene.history.expectLawful()
        try scene.history.copy(appointment)
        try scene.history.expectFinding(Self.words)
    }

    @Test func `a copy of a link is found after the app was unlinked`() throws {
        var scene = try HistoryScene()
        let app = AppID(UUID())
        try scene.link(app, roles: .usual)
        let link = scene.history.latest
        try scene.unlink(app)
        try scene.history.expectLawful()
        try scene.history.copy(link)
        try scene.history.expectFinding(Self.words)
    }

    @Test func `a copy of an issue is found after the secret was revoked`() throws {
        var scene = try HistoryScene()
        let app = try scene.history.makeApp(.access)
        let issue = scene.history.latest
        try scene.history.revoke(app)
        try scene.history.expectLawful()
        try scene.history.copy(issue)
        try scene.history.expectFinding(Self.words)
    }

    @Test func `a copy of a reinstatement is found after the person was cancelled again`() throws {
        var scene = try HistoryScene()
        try scene.cancel(scene.staff, by: scene.asAdmin)
        try scene.reinstate(scene.staff, by: scene.asAdmin)
        let reinstatement = scene.history.latest
        try scene.cancel(scene.staff, by: scene.asAdmin)
        try scene.history.expectLawful()
        try scene.history.copy(reinstatement)
        try scene.history.expectFinding(Self.words)
    }
}
