@testable import Identity
import Testing

@Suite struct `Users and apps` {
    static func credentials(_ number: UInt8 = 5) throws -> CredentialsSet {
        CredentialsSet(
            userID: Scene.user, credentialID: Sample.id(number), record: [1, 2, 3],
            email: Personal(Scene.user, "zoe@bayunsystems.com"), challenge: [1],
            deviceSignature: try Sample.signature(1), userSignature: try Sample.signature(2))
    }

    @Test func `credentials are set once`() throws {
        let event = try Self.credentials()
        #expect(try User.decide(User.initial, .setCredentials(event)) == [.credentialsSet(event)])
        let state = User.fold([Sample.recorded(.credentialsSet(event), position: 4)])
        #expect(state.id == Scene.user && state.holdsEmail)
        #expect(state.credentials?.id == event.credentialID && state.credentials?.record == event.record)
        #expect(state.credentials?.place.position == 4)
        #expect(throws: User.Rejection.credentialsExist) {
            try User.decide(state, .setCredentials(Self.credentials(6)))
        }
    }

    static func change(_ number: UInt8, of previous: UInt8) throws -> CredentialsChanged {
        CredentialsChanged(
            userID: Scene.user, credentialID: Sample.id(number), previousCredentialID: Sample.id(previous),
            record: [4, 5, 6], challenge: [1], deviceSignature: try Sample.signature(1),
            userSignature: try Sample.signature(2))
    }

    @Test func `credentials change from those in force and never back to earlier ones`() throws {
        var state = User.fold([Sample.recorded(.credentialsSet(try Self.credentials()))])
        let change = try Self.change(6, of: 5)
        #expect(try User.decide(state, .changeCredentials(change)) == [.credentialsChanged(change)])
        User.evolve(&state, Sample.recorded(.credentialsChanged(change), position: 9))
        #expect(state.credentials?.id == change.credentialID && state.credentials?.record == [4, 5, 6])
        #expect(state.credentials?.place.position == 9 && state.holdsEmail)
        #expect(state.everyCredential == [Sample.id(5), Sample.id(6)])
        for stale in [try Self.change(7, of: 5), try Self.change(5, of: 6), try Self.change(6, of: 6)] {
            #expect(throws: User.Rejection.credentialsReplaced) {
                try User.decide(state, .changeCredentials(stale))
            }
        }
        #expect(throws: User.Rejection.credentialsReplaced) {
            try User.decide(User.initial, .changeCredentials(change))
        }
        User.evolve(&state, Sample.recorded(.erased(UserErased(userID: Scene.user, by: .operator(nil))), position: 10))
        #expect(throws: User.Rejection.credentialsReplaced) {
            try User.decide(state, .changeCredentials(Self.change(7, of: 6)))
        }
    }

    @Test func `events since the set-up decide which secret a log-in asks for`() throws {
        var opened = try #require(try EventSamples.all().compactMap { $0 as? RecoveryOpened }.first)
        opened.soleAdmin = false
        let history: [UserEvent] = [
            .credentialsSet(try Self.credentials()), .recoveryOpened(opened),
            .credentialsChanged(try Self.change(6, of: 5)),
            .emailReleased(EmailReleased(userID: Scene.user, tenant: EventSamples.tenant)),
            .credentialsChanged(try Self.change(7, of: 6)), .recoveryOpened(opened),
            .erased(UserErased(userID: Scene.user, by: .operator(nil))),
        ]
        let starts = [0, 0, 2, 2, 4, 4, 4]
        let recorded = history.enumerated().map { Sample.recorded($0.element, position: Int64($0.offset) + 1) }
        for (end, start) in starts.enumerated() {
            let whole = User.fold(Array(recorded[...end])), tail = User.fold(Array(recorded[start...end]))
            #expect(whole.credentials == tail.credentials && whole.recovery == tail.recovery)
            #expect(whole.isErased == tail.isErased)
        }
    }

    @Test func `an address is released once, and the credentials remain`() throws {
        var state = User.fold([Sample.recorded(.credentialsSet(try Self.credentials()))])
        let command = User.Command.releaseEmail(tenant: EventSamples.tenant)
        let events = try User.decide(state, command)
        #expect(
            events == [
                .emailReleased(
                    EmailReleased(userID: Scene.user, tenant: EventSamples.tenant))
            ])
        for event in events { User.evolve(&state, Sample.recorded(event, position: 8)) }
        #expect(!state.holdsEmail && state.credentials != nil && state.released?.position == 8)
        var later = state
        User.evolve(&later, Sample.recorded(.credentialsSet(try Self.credentials(6)), position: 9))
        #expect(!later.holdsEmail, "new credentials do not give the address back")
        #expect(try User.decide(state, command).isEmpty)
        #expect(throws: User.Rejection.credentialsExist) { try User.decide(state, .setCredentials(Self.credentials())) }
        #expect(throws: User.Rejection.unknownUser) { try User.decide(User.initial, command) }
    }

    static func app() throws -> App.State {
        var state = App.initial
        let commands: [App.Command] = [
            .register(
                Scene.app, name: "Demo", salt: try Sample.bytes32(1), customQuestions: false, try Scene.operated()),
            .issueSecret(
                Sample.id(80), roles: RoleSet(.access), digest: try Sample.bytes32(2), authorityKey: Scene.appKey,
                try Scene.operated()),
            .issueSecret(
                Sample.id(81), roles: .usual, digest: try Sample.bytes32(3), authorityKey: Scene.otherKey,
                try Scene.operated()),
        ]
        for command in commands {
            for event in try App.decide(state, command) { App.evolve(&state, Sample.recorded(event)) }
        }
        return state
    }

    @Test func `roles belong to secrets, and a digest finds its secret`() throws {
        let state = try Self.app()
        #expect(state.id == Scene.app && state.name == "Demo")
        #expect(try state.salt == Sample.bytes32(1))
        #expect(state.secret(digest: try Sample.bytes32(2))?.roles == RoleSet(.access))
        #expect(state.secret(digest: try Sample.bytes32(3))?.roles == .usual)
        #expect(state.secret(digest: try Sample.bytes32(4)) == nil)
    }

    @Test func `a revoked secret is not found, and is revoked once`() throws {
        var state = try Self.app()
        let command = App.Command.revokeSecret(Sample.id(81), try Scene.operated())
        for event in try App.decide(state, command) { App.evolve(&state, Sample.recorded(event)) }
        #expect(state.secret(digest: try Sample.bytes32(3)) == nil)
        #expect(state.secret(digest: try Sample.bytes32(2)) != nil)
        #expect(try App.decide(state, command).isEmpty)
        #expect(DecidingApp(state, secret: Sample.id(81), in: Tenant.initial) == nil)
    }

    @Test func `a caller is built from folded states`() throws {
        var tenant = Tenants.founded()
        let unlinked = try #require(DecidingApp(try Self.app(), secret: Sample.id(80), in: tenant))
        #expect(!unlinked.isLinked && unlinked.roles == RoleSet(.access) && unlinked.authorityKey == Scene.appKey)
        _ = try Tenants.apply(.linkApp(Scene.app, roles: .usual, try Scene.operated()), to: &tenant)
        #expect(try #require(DecidingApp(try Self.app(), secret: Sample.id(80), in: tenant)).isLinked)
        let state = try Scene.state([.register(Scene.register(founding: true))])
        let founded = Tenant.fold([Sample.recorded(Tenants.registered(Scene.employee), position: 1)])
        let caller = try #require(DecidingEmployee(state, in: founded, secretProved: true))
        #expect(caller.role == .securityAdmin && caller.status == .active && caller.user == Scene.user)
        #expect(caller.authorizedKeys == [Scene.firstKey] && caller.roleKeys == [Scene.firstKey])
        #expect(DecidingEmployee(Employee.initial, in: founded, secretProved: true) == nil)
    }

    @Test func `an invalid command to an app is refused with its code`() throws {
        let state = try Self.app()
        let salt = try Sample.bytes32(1)
        #expect(throws: App.Rejection.alreadyRegistered) {
            try App.decide(
                state, .register(Scene.app, name: "Demo", salt: salt, customQuestions: false, try Scene.operated()))
        }
        for name in ["", "a\0", String(repeating: "x", count: 257)] {
            #expect(throws: App.Rejection.invalidName) {
                try App.decide(
                    App.initial,
                    .register(Scene.app, name: name, salt: salt, customQuestions: false, try Scene.operated()))
            }
        }
        let issue = App.Command.issueSecret(
            Sample.id(80), roles: .usual, digest: salt, authorityKey: Scene.appKey, try Scene.operated())
        #expect(throws: App.Rejection.secretExists) { try App.decide(state, issue) }
        #expect(throws: App.Rejection.unknownApp) { try App.decide(App.initial, issue) }
        #expect(throws: App.Rejection.unknownSecret) {
            try App.decide(state, .revokeSecret(Sample.id(99), try Scene.operated()))
        }
    }

    @Test func `only the operator registers apps and ends their secrets`() throws {
        let state = try Self.app()
        for caller in [Scene.appCaller(), Scene.securityAdmin, Scene.personnelApp] {
            let by = try Scene.decision(caller)
            for command in [
                App.Command.retireSecret(Sample.id(81), by), .revokeSecret(Sample.id(81), by),
                .issueSecret(
                    Sample.id(82), roles: .usual, digest: try Sample.bytes32(4), authorityKey: Scene.otherKey, by),
            ] {
                #expect(throws: App.Rejection.notPermitted) { try App.decide(state, command) }
            }
        }
    }

    @Test func `a retired secret opens no session and can still be revoked`() throws {
        var state = try Self.app()
        for command in [
            App.Command.retireSecret(Sample.id(81), try Scene.operated()),
            .revokeSecret(Sample.id(81), try Scene.operated()),
        ] {
            #expect(try App.decide(state, command).count == 1)
            for event in try App.decide(state, command) { App.evolve(&state, Sample.recorded(event)) }
            #expect(try state.secret(digest: Sample.bytes32(3)) == nil)
            #expect(try App.decide(state, command).isEmpty)
        }
    }
}
