import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing
@testable import Credentials
@testable import IdentityService

/// What an app vouched for, held against its secrets in the system ledger and its link in the tenant's.
@Suite struct AppVouchingTests {
    private let present: HistoryScene.Step = { try $0.history.present($0.waiting, of: $0.staff) }

    /// Lets somebody's device key be authorized by an app.
    private func authorize(_ app: SignedHistory.Vouching, _ scene: inout HistoryScene) throws {
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(app))
    }

    @Test func `verification reports an unknown app secret`() throws {
        let words = "the app has no secret with that key"
        try HistoryScene.expect(words, after: present) { scene in
            var unknown = scene.app
            unknown.secret = SecretID(UUID())
            try authorize(unknown, &scene)
        }
        try HistoryScene.expect(words, after: present) { scene in
            var foreign = scene.personnel
            foreign.app = scene.app.app
            try authorize(foreign, &scene)
        }
        try HistoryScene.expect(words, after: present) { scene in
            var forged = scene.app
            forged.pair = try SigningKeyPair()
            try authorize(forged, &scene)
        }
    }

    @Test func `verification reports an app that is not linked`() throws {
        let words = "the caller may not authorize a pending device key; the decision is about an ordinary employee"
        try HistoryScene.expect(words, after: present) { scene in
            let stranger = try scene.history.makeApp(.access, .creation, .authorization)
            try authorize(stranger, &scene)
        }
        try HistoryScene.expect(words) { scene in
            try present(&scene)
            try scene.unlink(scene.app.app)
        } _: { scene in
            try authorize(scene.app, &scene)
        }
    }

    @Test func `verification reports an app's statement that names no size of the system ledger`() throws {
        try HistoryScene.expect("the app's statement does not name the size of the system ledger") { scene in
            try scene.change(TenantPolicy(approval: .admin), by: scene.asFounder)
            try scene.history.register(scene.newcomer, approved: false)
        } _: { scene in
            var statement = try scene.statusStatement(.approve, scene.newcomer, by: .app(scene.personnel))
            statement.context.systemSize = nil
            let by = try scene.history.signed(.app(scene.personnel), statement)
            try scene.history.append(EmployeeApproved(employeeID: scene.newcomer.id, by: by), about: scene.newcomer)
        }
    }
}

/// A succession follows a log-in of the security admin on the device that signs.
@Suite struct SuccessionHistoryTests {
    private static let words = "the decision is refused in this state (name the next security admin): loginTooOld"
    private let succeed: HistoryScene.Step = { try $0.succeed($0.peer, by: $0.asFounder) }

    @Test func `a succession ten minutes after the log-in is lawful`() throws {
        var scene = try HistoryScene()
        try scene.logIn(scene.founder)
        scene.history.time = scene.history.time.adding(Tenant.recentLogIn)
        try succeed(&scene)
        try scene.history.expectLawful()
    }

    @Test func `verification reports a succession without a recent log-in`() throws {
        try HistoryScene.expect(Self.words, succeed)
        try HistoryScene.expect(Self.words) { scene in
            try scene.logIn(scene.founder)
        } _: { scene in
            scene.history.time = scene.history.time.adding(Tenant.recentLogIn).adding(.seconds(61))
            try succeed(&scene)
        }
    }

    @Test func `verification reports a succession after another person's or device's log-in`() throws {
        try HistoryScene.expect(Self.words) { scene in
            try scene.logIn(scene.peer)
            try scene.logIn(scene.founder, on: scene.founder.vouched)
        } _: { scene in
            try succeed(&scene)
        }
    }
}

/// Decisions about recoveries that the table alone does not tell from lawful ones.
@Suite struct RecoveryHistoryTests {
    private let opening: HistoryScene.Step = { try $0.openRecovery(of: $0.staff, for: $0.waiting, by: $0.asFounder) }

    @Test func `verification reports an unsigned opening`() throws {
        try HistoryScene.expect("the decision to open a recovery has no signature") { scene in
            try scene.history.append(
                scene.opening(
                    of: scene.staff, for: scene.waiting, openedBy: scene.admin.user, .employee(scene.admin.id, nil)),
                to: .recovery(scene.recovery, in: scene.history.tenant))
        }
    }

    @Test func `an unsigned cancellation is lawful if the owner logged in`() throws {
        func cancel(_ scene: inout HistoryScene, by member: SignedHistory.Member) throws {
            try scene.history.append(
                try scene.cancellation(of: scene.staff, .employee(member.id, nil)),
                to: .recovery(scene.recovery, in: scene.history.tenant))
        }
        var scene = try HistoryScene()
        try opening(&scene)
        try cancel(&scene, by: scene.staff)
        try scene.history.expectLawful()
        try HistoryScene.expect("the decision to cancel a recovery has no signature", after: opening) { scene in
            try cancel(&scene, by: scene.admin)
        }
    }

    @Test func `verification reports one person deciding twice, and a key confirming itself`() throws {
        try HistoryScene.expect("one person opened and confirmed the same recovery", after: opening) { scene in
            try scene.confirmRecovery(of: scene.staff, for: scene.waiting, by: scene.asFounder)
        }
        try HistoryScene.expect("a device key decides about its own recovery") { scene in
            try scene.openRecovery(of: scene.staff, for: scene.staff.vouched, by: scene.asFounder)
        } _: { scene in
            try scene.confirmRecovery(
                of: scene.staff, for: scene.staff.vouched, by: .member(scene.staff, scene.staff.vouched))
        }
        try HistoryScene.expect("the statement is about another recovery", after: opening) { scene in
            try scene.confirmRecovery(of: scene.staff, for: scene.newcomer.device, by: scene.asAdmin)
        }
    }
}
