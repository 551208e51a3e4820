import Canonical
@testable import Identity
import Testing

@Suite struct `Recoveries are cancelled` {
    private typealias Scene = RecoveryScene
    private let day = Duration.seconds(86_400)

    @Test func `by an admin or a key of the account, and by no other caller`() throws {
        var scene = try Scene()
        try scene.apply(try scene.opening())
        for caller in [Scene.admin(), Scene.admin(role: .admin)] {
            #expect(try User.decide(scene.user, scene.cancellation(by: caller, key: Scene.openerKey)).count == 1)
        }
        #expect(try User.decide(scene.user, scene.cancellation(by: scene.owner, key: Scene.ownKey)).count == 1)
        let stranger = Scene.second(role: .employee)
        #expect(throws: User.Rejection.notPermitted) {
            try User.decide(scene.user, scene.cancellation(by: stranger, key: Scene.confirmerKey))
        }
        #expect(throws: User.Rejection.notPermitted) {
            try User.decide(scene.user, scene.cancellation(by: scene.owner, key: Sample.key(0x70)))
        }
    }

    @Test(arguments: [1, 29, 30, 31]) func `by a key that another person revoked in the 30 days before`(days: Int)
        throws
    {
        var scene = try Scene()
        try scene.revoke(Scene.ownKey, at: Scene.opened.adding(.zero - day * days))
        try scene.apply(try scene.opening())
        let cancellation = try scene.cancellation(by: scene.owner, key: Scene.ownKey)
        if days <= 30 {
            #expect(try User.decide(scene.user, cancellation).count == 1)
            #expect(try User.decide(scene.user, scene.login(Scene.ownKey)).count == 1)
        } else {
            #expect(throws: User.Rejection.notPermitted) { try User.decide(scene.user, cancellation) }
            #expect(try User.decide(scene.user, scene.login(Scene.ownKey)) == [])
        }
    }

    @Test func `by a key that another person revoked after the opening, or with the account`() throws {
        var scene = try Scene()
        try scene.apply(try scene.opening())
        try scene.revoke(Scene.ownKey, at: Scene.opened.adding(.seconds(5)))
        #expect(try User.decide(scene.user, scene.cancellation(by: scene.owner, key: Scene.ownKey)).count == 1)
        var cancelled = try Scene()
        cancelled.happen(
            .cancelled(
                EmployeeCancelled(
                    employeeID: cancelled.owner.employee, reason: .cancelled,
                    by: .employee(EventSamples.admin, try Sample.statement(by: Scene.openerKey)))),
            at: Scene.opened.adding(.zero - day))
        try cancelled.apply(try cancelled.opening())
        #expect(try User.decide(cancelled.user, cancelled.login(Scene.ownKey)).count == 1)
    }

    @Test func `not by a key that its owner ended, or that came after the opening`() throws {
        var scene = try Scene()
        try scene.revoke(Scene.ownKey, by: scene.owner.employee, at: Scene.opened.adding(.zero - day))
        scene.authorize(Scene.confirmerKey, at: Scene.opened.adding(.seconds(5)))
        try scene.apply(try scene.opening())
        #expect(throws: User.Rejection.notPermitted) {
            try User.decide(scene.user, scene.cancellation(by: scene.owner, key: Scene.ownKey))
        }
        for key in [Scene.ownKey, Scene.confirmerKey] {
            #expect(try User.decide(scene.user, scene.login(key)) == [])
        }
    }

    @Test func `by a log-in, a change of credentials and an erasure`() throws {
        var scene = try Scene()
        try scene.apply(try scene.opening())
        try scene.apply(try scene.confirmation())
        let erasing = AuthorityDecision(
            caller: .operator(Sample.key(0x99)), statement: try Sample.statement(by: Sample.key(0x99)))
        let change = User.EndRecovery(
            account: scene.account, key: Sample.key(0x70), replacesCredentials: true, time: Scene.opened)
        let commands: [User.Command] = [
            scene.login(Scene.ownKey), .endRecovery(change),
            .changeCredentials(try Scene.change(6, of: 5)), .erase(erasing),
        ]
        for command in commands {
            var after = scene
            try after.apply(command)
            #expect(after.user.openRecovery(at: Scene.opened) == nil)
            #expect(try User.decide(after.user, after.login(Scene.ownKey)) == [])
        }
    }
}
