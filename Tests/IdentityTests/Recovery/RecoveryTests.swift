import Canonical
@testable import Identity
import Testing

@Suite struct `Recoveries of credentials` {
    private typealias Scene = RecoveryScene
    private let day = Duration.seconds(86_400)

    @Test func `fix their availability and their end at the opening`() throws {
        var scene = try Scene()
        let command = try scene.opening()
        try scene.apply(command)
        let recovery = try #require(scene.user.openRecovery(at: Scene.opened))
        #expect(recovery.availableAt == Scene.opened.adding(day))
        #expect(recovery.expiresAt == Scene.opened.adding(day * 4) && recovery.opener == Scene.opener)
        #expect(try User.decide(scene.user, command) == [])
        let another = try scene.opening(for: Sample.key(0x67))
        #expect(throws: User.Rejection.recoveryInProgress) { try User.decide(scene.user, another) }
        let late = recovery.expiresAt
        #expect(scene.user.openRecovery(at: late) == nil)
        #expect(try User.decide(scene.user, scene.opening(for: Sample.key(0x67), at: late)).count == 1)
    }

    @Test func `wait for the whole delay if a security admin uses a sock puppet`() throws {
        var scene = try Scene()
        try scene.apply(try scene.opening())
        try scene.apply(try scene.confirmation())
        for time in [Scene.opened, Scene.opened.adding(day - .microseconds(1))] {
            #expect(throws: User.Rejection.recoveryNotAvailable) {
                try User.decide(scene.user, scene.completion(at: time))
            }
        }
        #expect(try User.decide(scene.user, scene.completion(at: Scene.opened.adding(day))).count == 1)
        #expect(throws: User.Rejection.recoveryEnded) {
            try User.decide(scene.user, scene.completion(approvals: [], at: Scene.opened.adding(day * 4)))
        }
    }

    @Test(arguments: [0, 23, 24, 48]) func `are available at once with a key known for the whole delay`(hours: Int)
        throws
    {
        var scene = try Scene(known: .seconds(hours * 3_600))
        try scene.apply(try scene.opening())
        try scene.apply(try scene.confirmation(by: scene.owner, key: Scene.ownKey))
        let soon = try scene.completion(at: Scene.opened.adding(.seconds(1)))
        if hours >= 24 {
            #expect(try User.decide(scene.user, soon).count == 1)
            #expect(scene.user.recovery?.cancelBefore(scene.account) == Scene.opened)
        } else {
            #expect(throws: User.Rejection.recoveryNotAvailable) { try User.decide(scene.user, soon) }
            #expect(scene.user.recovery?.cancelBefore(scene.account) == Scene.opened.adding(day))
        }
    }

    @Test func `can be confirmed again only by a known key`() throws {
        var scene = try Scene()
        try scene.apply(try scene.opening())
        try scene.apply(try scene.confirmation())
        #expect(try User.decide(scene.user, scene.confirmation()) == [])
        let own = try scene.confirmation(by: scene.owner, key: Scene.ownKey)
        try scene.apply(own)
        #expect(scene.user.recovery?.version == 3)
        #expect(try User.decide(scene.user, own) == [])
        #expect(try User.decide(scene.user, scene.completion(at: Scene.opened)).count == 1)
    }

    @Test func `are opened as the table of authority permits`() throws {
        let scene = try Scene()
        #expect(try User.decide(scene.user, scene.opening(by: Scene.admin(role: .admin))).count == 1)
        let refused = [
            Scene.admin(role: .employee), Scene.admin(status: .cancelled), Scene.admin(status: .registered),
            Scene.admin(scene.owner.user), Scene.admin(carriesRole: false),
        ]
        for caller in refused {
            #expect(throws: User.Rejection.notPermitted) { try User.decide(scene.user, scene.opening(by: caller)) }
        }
        for key in [Scene.confirmerKey, Scene.newKey] {
            #expect(throws: User.Rejection.notPermitted) { try User.decide(scene.user, scene.opening(key: key)) }
        }
        var admin = scene
        admin.role = .admin
        #expect(try User.decide(admin.user, admin.opening()).count == 1)
        #expect(throws: User.Rejection.notPermitted) {
            try User.decide(admin.user, admin.opening(by: Scene.admin(role: .admin)))
        }
        admin.role = .securityAdmin
        #expect(throws: User.Rejection.notPermitted) { try User.decide(admin.user, admin.opening()) }
        #expect(throws: User.Rejection.notPermitted) { try User.decide(User.initial, scene.opening()) }
    }

    @Test func `need another person's confirmation, never that of the recovering key`() throws {
        var scene = try Scene()
        #expect(throws: User.Rejection.recoveryUnknown) { try User.decide(scene.user, scene.confirmation()) }
        try scene.apply(try scene.opening())
        for role in [EmployeeRole.admin, .securityAdmin] {
            #expect(try User.decide(scene.user, scene.confirmation(by: Scene.second(role: role))).count == 1)
        }
        let twin = Scene.admin(Scene.opener, Sample.id(41), role: .admin, key: Scene.confirmerKey)
        let ownTwin = Scene.admin(scene.owner.user, Sample.id(42), role: .admin, key: Scene.confirmerKey)
        for caller in [twin, ownTwin, Scene.second(role: .employee)] {
            #expect(throws: User.Rejection.notPermitted) { try User.decide(scene.user, scene.confirmation(by: caller)) }
        }
        scene.authorize(Scene.newKey, at: Scene.opened)
        #expect(throws: User.Rejection.notPermitted) {
            try User.decide(scene.user, scene.confirmation(by: scene.owner, key: Scene.newKey))
        }
        #expect(throws: User.Rejection.recoveryUnknown) {
            try User.decide(scene.user, scene.confirmation(for: Sample.key(0x67)))
        }
    }

    @Test func `of a user with other accounts need a known key or the tenant that owns the address`() throws {
        var scene = try Scene(known: .seconds(60))
        scene.reach = User.RecoveryReach(hasAccountsElsewhere: true, ownsAddress: false)
        // Nobody could ever complete it.
        #expect(throws: User.Rejection.otherCompanies) { try User.decide(scene.user, scene.opening()) }
        var known = try Scene()
        known.reach = scene.reach
        try known.apply(try known.opening())
        #expect(throws: User.Rejection.otherCompanies) { try User.decide(known.user, known.confirmation()) }
        try known.apply(try known.confirmation(by: known.owner, key: Scene.ownKey))
        #expect(try User.decide(known.user, known.completion(at: Scene.opened)).count == 1)

        scene.reach.ownsAddress = true
        try scene.apply(try scene.opening())
        try scene.apply(try scene.confirmation())
        #expect(throws: User.Rejection.recoveryNotAvailable) {
            try User.decide(scene.user, scene.completion(at: Scene.opened))
        }
        let time = Scene.opened.adding(day)
        #expect(try User.decide(scene.user, scene.completion(at: time)).count == 1)
        scene.reach.ownsAddress = false
        #expect(throws: User.Rejection.otherCompanies) { try User.decide(scene.user, scene.completion(at: time)) }
    }

    @Test func `of a tenant with one admin need only the opening, after twice the delay`() throws {
        var scene = try Scene()
        try scene.apply(try scene.opening(soleAdmin: true))
        let recovery = try #require(scene.user.recovery)
        #expect(recovery.soleAdmin && recovery.approvals == [recovery.opened.position])
        #expect(
            recovery.availableAt == Scene.opened.adding(day * 2) && recovery.expiresAt == Scene.opened.adding(day * 5))
        #expect(throws: User.Rejection.recoveryNotAvailable) {
            try User.decide(scene.user, scene.completion(at: Scene.opened.adding(day)))
        }
        #expect(try User.decide(scene.user, scene.completion(at: Scene.opened.adding(day * 2))).count == 1)
    }

    @Test func `are completed once, with the key and the decisions in the log`() throws {
        var scene = try Scene()
        let time = Scene.opened.adding(day)
        try scene.apply(try scene.opening())
        #expect(throws: User.Rejection.recoveryEnded) { try User.decide(scene.user, scene.completion(at: time)) }
        try scene.apply(try scene.confirmation())
        let approvals = try #require(scene.user.recovery?.approvals)
        for wrong in [approvals.reversed(), [approvals[0]], [], [approvals[0], approvals[1] + 1]] {
            #expect(throws: User.Rejection.recoveryEnded) {
                try User.decide(scene.user, scene.completion(approvals: wrong, at: time))
            }
        }
        #expect(throws: User.Rejection.recoveryEnded) {
            try User.decide(scene.user, scene.completion(for: Sample.key(0x67), at: time))
        }
        var promoted = scene
        promoted.role = .securityAdmin
        #expect(throws: User.Rejection.notPermitted) { try User.decide(promoted.user, promoted.completion(at: time)) }
        try scene.apply(try scene.completion(at: time))
        #expect(scene.user.credentials?.id == Sample.id(6) && scene.user.recovery == nil)
        #expect(throws: User.Rejection.credentialsReplaced) {
            try User.decide(scene.user, scene.completion(approvals: approvals, at: time))
        }
    }
}
