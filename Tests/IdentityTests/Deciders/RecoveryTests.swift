import Canonical
import Identity
import Testing

@Suite struct `Recoveries of credentials` {
    private static let opener: UserID = Sample.id(30)
    private static let confirmer: UserID = Sample.id(31)
    private static let openerKey = Sample.key(0x33)
    private static let confirmerKey = Sample.key(0x34)
    private static let reach = User.RecoveryReach(hasAccountsElsewhere: false, ownsAddress: false)

    private static func target(_ key: UInt8 = 0x66) throws -> User.RecoveryTarget {
        User.RecoveryTarget(
            tenant: EventSamples.tenant, employee: Scene.employee, fingerprint: try Sample.fingerprint(key))
    }

    private static func caller(
        _ user: UserID = opener, _ employee: EmployeeID = EventSamples.admin, role: EmployeeRole = .securityAdmin,
        status: EmployeeStatus = .active, key: PublicKeyBytes = openerKey
    ) -> EmployeeCaller {
        EmployeeCaller(employee: employee, user: user, role: role, status: status, authorizedKeys: [key])
    }

    private static func decision(
        _ caller: EmployeeCaller, signer: UInt8 = 0x55, statementBy key: PublicKeyBytes? = openerKey
    ) throws -> User.RecoveryDecision {
        User.RecoveryDecision(
            caller: caller, signer: try Sample.fingerprint(signer),
            statement: try key.map { try Sample.statement(by: $0) })
    }

    private static func open(
        _ decision: User.RecoveryDecision, key: UInt8 = 0x66, reach: User.RecoveryReach = reach,
        at time: Timestamp = Scene.now
    ) throws -> User.Command {
        .openRecovery(
            User.OpenRecovery(
                id: Sample.id(62), target: try target(key), decision: decision, reach: reach, time: time))
    }

    private static func confirm(
        _ decision: User.RecoveryDecision, key: UInt8 = 0x66, reach: User.RecoveryReach = reach,
        at time: Timestamp = Scene.now
    ) throws -> User.Command {
        .confirmRecovery(
            User.ConfirmRecovery(
                target: try target(key), opened: try Sample.bytes32(0x77), decision: decision, reach: reach, time: time)
        )
    }

    private static func other(role: EmployeeRole = .admin) throws -> User.RecoveryDecision {
        try decision(
            caller(confirmer, Sample.id(40), role: role, key: confirmerKey), signer: 0x56, statementBy: confirmerKey)
    }

    private static func known() throws -> User.State {
        User.fold([Sample.recorded(.credentialsSet(try `Users and apps`.credentials()), position: 3)])
    }

    private static func apply(_ command: User.Command, to state: inout User.State, at position: Int64) throws {
        for event in try User.decide(state, command) {
            User.evolve(&state, Sample.recorded(event, at: Scene.now, position: position))
        }
    }

    private static func approved() throws -> User.State {
        var state = try known()
        try apply(try open(try decision(caller())), to: &state, at: 4)
        try apply(try confirm(try other()), to: &state, at: 5)
        return state
    }

    private static func recover(
        key: UInt8 = 0x66, approvals: [Int64] = [4, 5], reach: User.RecoveryReach = reach,
        at time: Timestamp = Scene.now
    ) throws -> User.Command {
        .recoverCredentials(
            User.RecoverCredentials(
                event: try `Users and apps`.change(6, of: 5), target: try target(key), approvals: approvals,
                reach: reach, time: time))
    }

    @Test func `are opened by the security admin, once, for somebody else`() throws {
        var state = try Self.known()
        let command = try Self.open(try Self.decision(Self.caller()))
        try Self.apply(command, to: &state, at: 4)
        let recovery = try #require(state.openRecovery(at: Scene.now))
        #expect(recovery.expiresAt == Scene.now.adding(.seconds(259_200)) && recovery.opener == Self.opener)
        #expect(try User.decide(state, command) == [])
        let another = try Self.open(try Self.decision(Self.caller()), key: 0x67)
        #expect(throws: User.Rejection.recoveryInProgress) { try User.decide(state, another) }
        let late = Scene.now.adding(.seconds(259_200))
        #expect(state.openRecovery(at: late) == nil)
        let again = try Self.open(try Self.decision(Self.caller()), key: 0x67, at: late)
        #expect(try User.decide(state, again).count == 1)
    }

    @Test func `are not opened by anybody else`() throws {
        let state = try Self.known()
        let callers = [
            Self.caller(role: .admin), Self.caller(role: .employee), Self.caller(status: .cancelled),
            Self.caller(status: .registered), Self.caller(Scene.user),
        ]
        for caller in callers {
            let command = try Self.open(try Self.decision(caller))
            #expect(throws: User.Rejection.notPermitted) { try User.decide(state, command) }
        }
        let foreign = try Self.open(try Self.decision(Self.caller(), statementBy: Self.confirmerKey))
        let itself = try Self.open(try Self.decision(Self.caller(), signer: 0x66))
        for command in [foreign, itself] {
            #expect(throws: User.Rejection.notPermitted) { try User.decide(state, command) }
        }
        let nobody = try Self.open(try Self.decision(Self.caller()))
        #expect(throws: User.Rejection.notPermitted) { try User.decide(User.initial, nobody) }
    }

    @Test func `of a user with accounts elsewhere need the company that owns the address`() throws {
        let elsewhere = User.RecoveryReach(hasAccountsElsewhere: true, ownsAddress: false)
        let owned = User.RecoveryReach(hasAccountsElsewhere: true, ownsAddress: true)
        var state = try Self.known()
        let refused = try Self.open(try Self.decision(Self.caller()), reach: elsewhere)
        #expect(throws: User.Rejection.otherCompanies) { try User.decide(state, refused) }
        try Self.apply(try Self.open(try Self.decision(Self.caller()), reach: owned), to: &state, at: 4)
        let unconfirmed = try Self.confirm(try Self.other(), reach: elsewhere)
        #expect(throws: User.Rejection.otherCompanies) { try User.decide(state, unconfirmed) }
        try Self.apply(try Self.confirm(try Self.other(), reach: owned), to: &state, at: 5)
        let late = try Self.recover(reach: elsewhere)
        #expect(throws: User.Rejection.otherCompanies) { try User.decide(state, late) }
        #expect(try User.decide(state, Self.recover(reach: owned)).count == 1)
    }

    @Test func `are confirmed by another admin, or by a device of the user, and by nobody else`() throws {
        var state = try Self.known()
        let unknown = try Self.confirm(try Self.other())
        #expect(throws: User.Rejection.recoveryUnknown) { try User.decide(state, unknown) }
        try Self.apply(try Self.open(try Self.decision(Self.caller())), to: &state, at: 4)
        let device = Self.caller(Scene.user, Scene.employee, role: .employee, key: Self.confirmerKey)
        let own = try Self.decision(device, signer: 0x56, statementBy: Self.confirmerKey)
        for decision in [try Self.other(), try Self.other(role: .securityAdmin), own] {
            #expect(try User.decide(state, Self.confirm(decision)).count == 1)
        }
        let refused = [
            // The opener again, by another account and another key of theirs.
            try Self.decision(Self.caller()),
            try Self.decision(
                Self.caller(Self.opener, Sample.id(41), role: .admin, key: Self.confirmerKey), signer: 0x56,
                statementBy: Self.confirmerKey),
            try Self.other(role: .employee),
            // The user by another account, by a key that is not theirs, or by the key that recovers.
            try Self.decision(
                Self.caller(Scene.user, Sample.id(42), role: .admin, key: Self.confirmerKey), signer: 0x56,
                statementBy: Self.confirmerKey),
            try Self.decision(device, signer: 0x56, statementBy: Self.openerKey),
            try Self.decision(device, signer: 0x66, statementBy: Self.confirmerKey),
        ]
        for decision in refused {
            let command = try Self.confirm(decision)
            #expect(throws: User.Rejection.notPermitted) { try User.decide(state, command) }
        }
        let swapped = try Self.confirm(try Self.other(), key: 0x67)
        #expect(throws: User.Rejection.recoveryUnknown) { try User.decide(state, swapped) }
        try Self.apply(try Self.confirm(try Self.other()), to: &state, at: 5)
        #expect(try User.decide(state, Self.confirm(own)) == [])
    }

    @Test func `are completed once, by the key and the decisions that are in the log`() throws {
        var state = try Self.approved()
        var refused = [
            try Self.recover(key: 0x67), try Self.recover(approvals: [5, 4]), try Self.recover(approvals: [4, 6]),
            try Self.recover(approvals: [4]), try Self.recover(at: Scene.now.adding(.seconds(259_200))),
        ]
        for command in refused {
            #expect(throws: User.Rejection.recoveryEnded) { try User.decide(state, command) }
        }
        try Self.apply(try Self.recover(), to: &state, at: 6)
        #expect(state.credentials?.id == Sample.id(6) && state.recovery == nil)
        refused = [try Self.recover()]
        #expect(throws: User.Rejection.credentialsReplaced) { try User.decide(state, refused[0]) }
        var unconfirmed = try Self.known()
        try Self.apply(try Self.open(try Self.decision(Self.caller())), to: &unconfirmed, at: 4)
        let early = try Self.recover()
        #expect(throws: User.Rejection.recoveryEnded) { try User.decide(unconfirmed, early) }
    }

    @Test func `end by a decision, a log-in, a change, and an erasure`() throws {
        let state = try Self.approved()
        let reason = try #require(ReasonCode("mistake"))
        func cancel(_ decision: User.RecoveryDecision) throws -> User.Command {
            .cancelRecovery(
                User.CancelRecovery(target: try Self.target(), reason: reason, decision: decision, time: Scene.now))
        }
        let stranger = try cancel(try Self.other(role: .employee))
        #expect(throws: User.Rejection.notPermitted) { try User.decide(state, stranger) }
        var ends = try [cancel(try Self.other()), cancel(try Self.decision(Self.caller()))].map {
            try User.decide(state, $0)
        }
        ends.append(try User.decide(state, .endRecovery(Scene.now)))
        ends.append(try User.decide(state, .changeCredentials(try `Users and apps`.change(6, of: 5))))
        ends.append(try User.decide(state, .erase(.operator)))
        for events in ends {
            #expect(events.count == 1)
            var after = state
            for event in events { User.evolve(&after, Sample.recorded(event, position: 6)) }
            #expect(after.openRecovery(at: Scene.now) == nil)
            #expect(try User.decide(after, .endRecovery(Scene.now)) == [])
        }
    }
}
