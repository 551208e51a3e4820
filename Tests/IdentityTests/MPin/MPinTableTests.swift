import Canonical
import ErrorCodes
@testable import Identity
import Testing

/// Every cell of the table of calls and states.
@Suite struct MPinTableTests {
    typealias Refusal = MPinIdentity.Rejection

    static let statuses: [MPinIdentity.Status] = [.started, .activated, .issued, .registered, .blocked, .revoked]

    /// What a cell says: the events, or the refusal.
    enum Cell: Equatable {
        case events([String])
        case refused(Refusal)

        static let none = Cell.events([])
    }

    static func state(_ status: MPinIdentity.Status) throws -> MPinIdentity.State {
        switch status {
        case .unknown: MPinIdentity.initial
        case .started, .expired: try MPinScene.started()
        case .activated: try MPinScene.activated()
        case .issued: try MPinScene.issued()
        case .registered: try MPinScene.registered()
        case .blocked: try MPinScene.blocked()
        case .revoked: try MPinScene.revoked()
        }
    }

    /// Holds a row of the table against the decider.
    func expect(
        _ command: MPinIdentity.Command, _ cells: [Cell], unknown: Refusal = .unknown,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try #require(cells.count == Self.statuses.count)
        for (status, cell) in zip([.unknown] + Self.statuses, [.refused(unknown)] + cells) {
            let state = try Self.state(status)
            #expect(state.status(at: MPinScene.soon) == status, sourceLocation: sourceLocation)
            let found: Cell
            do throws(Refusal) {
                found = .events(MPinScene.names(try MPinIdentity.decide(state, command)))
            } catch {
                found = .refused(error)
            }
            #expect(found == cell, "\(status)", sourceLocation: sourceLocation)
        }
    }

    static let ended: [Cell] = [.refused(.blocked), .refused(.revoked)]
    static let wrongState = Cell.refused(.wrongState), unauthorized = Cell.refused(.unauthorized)

    @Test func `a restart starts an unverified registration again`() throws {
        try expect(
            .restart(.initial, at: MPinScene.soon),
            [.events(["MPinRegistrationRestarted"]), Self.wrongState, Self.wrongState, Self.wrongState] + Self.ended)
    }

    @Test func `a mail, a code, an app and an admin verify once, and again without an event`() throws {
        let byAdmin = try Scene.decision(Scene.person())
        let proofs: [MPinIdentity.VerificationProof] = [
            .email, .code, .application(try MPinScene.vouched()), .application(byAdmin),
        ]
        for proof in proofs {
            try expect(
                .verify(proof, at: MPinScene.soon),
                [.events(["MPinIdentityVerified"]), .none, .none, .none] + Self.ended)
        }
    }

    @Test func `a device links before a client key is issued, and verifies`() throws {
        try expect(
            MPinScene.link(),
            [
                .events(["MPinLinked", "MPinIdentityVerified"]), .events(["MPinLinked"]), Self.wrongState,
                Self.wrongState,
            ]
                + Self.ended)
    }

    @Test func `a linked device's repetition has no event`() throws {
        var state = try MPinScene.state([MPinScene.starting(), MPinScene.link()])
        #expect(try MPinIdentity.decide(state, MPinScene.link()) == [])
        for command in [try MPinScene.issue(linked: .active), MPinScene.prove(true, linked: .active)] {
            try MPinScene.run(command, on: &state)
            #expect(try MPinIdentity.decide(state, MPinScene.link()) == [])
        }
        #expect(state.status(at: MPinScene.soon) == .registered)
    }

    @Test func `a client key is issued once verified, and again without an event`() throws {
        try expect(
            MPinScene.issue(),
            [Self.unauthorized, .events(["MPinClientKeyIssued"]), .none, .refused(.alreadyRegistered)] + Self.ended)
    }

    @Test func `a right proof completes the registration, and then has no event of the identity`() throws {
        try expect(
            MPinScene.prove(true),
            [Self.unauthorized, Self.unauthorized, .events(["MPinRegistered"]), .none] + Self.ended,
            unknown: .unauthorized)
    }

    @Test func `a wrong proof is counted once a client key is issued`() throws {
        let failed = Cell.events(["MPinAuthenticationFailed"])
        try expect(
            MPinScene.prove(false), [Self.unauthorized, Self.unauthorized, failed, failed] + Self.ended,
            unknown: .unauthorized)
        let atLimit = Cell.events(["MPinAuthenticationFailed", "MPinBlocked"])
        try expect(
            MPinScene.prove(false, policy: MPinPolicy(maximumFailures: 1)),
            [Self.unauthorized, Self.unauthorized, atLimit, atLimit] + Self.ended, unknown: .unauthorized)
    }

    @Test func `a revocation ends every live identity and has no event when repeated`() throws {
        let revoked = Cell.events(["MPinRevoked"])
        try expect(MPinScene.revoke(), [revoked, revoked, revoked, revoked, .refused(.blocked), .none])
    }

    @Test func `an erasure is recorded whatever the state`() throws {
        let erased = Cell.events(["MPinErased"])
        try expect(.erase(Scene.operated()), Array(repeating: erased, count: 6))
    }

    @Test func `only an unverified identity gives way`() throws {
        for status in Self.statuses {
            let events = try MPinIdentity.decide(try Self.state(status), .supersede)
            #expect(MPinScene.names(events) == (status == .started ? ["MPinRevoked"] : []), "\(status)")
        }
        #expect(try MPinIdentity.decide(MPinIdentity.initial, .supersede) == [])
    }

    @Test func `a linked identity gives way once its device has ended, and no other does`() throws {
        for status in Self.statuses {
            #expect(try MPinIdentity.decide(try Self.state(status), .endWithDevice) == [], "\(status)")
        }
        var state = try MPinScene.state([MPinScene.starting(), MPinScene.link()])
        for command in [try MPinScene.issue(linked: .active), MPinScene.prove(true, linked: .active)] {
            let events = try MPinIdentity.decide(state, .endWithDevice)
            #expect(events == [.revoked(MPinRevoked(reason: .superseded, by: .policy))])
            try MPinScene.run(command, on: &state)
        }
        try MPinScene.run(.endWithDevice, on: &state)
        #expect(state.end == .revoked(.superseded))
        #expect(try MPinIdentity.decide(state, .endWithDevice) == [])
    }

    @Test func `an id starts once`() throws {
        for status in Self.statuses {
            #expect(throws: Refusal.wrongState) {
                try MPinIdentity.decide(try Self.state(status), MPinScene.starting())
            }
        }
    }

    @Test func `the code of a refusal selects the status`() {
        let refusals: [(Int, Set<Refusal>)] = [
            (400, [.unknown, .alreadyRegistered, .otherUserID]), (401, [.unauthorized]),
            (403, [.notPermitted, .disabled, .inactive]), (409, [.wrongState, .expired]), (410, [.blocked, .revoked]),
        ]
        for (status, expected) in refusals {
            #expect(Set(Refusal.allCases.filter { $0.code.status == status }) == expected)
        }
    }
}
