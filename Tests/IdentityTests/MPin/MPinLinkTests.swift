import Canonical
@testable import Identity
import Testing

@Suite struct MPinLinkTests {
    typealias Refusal = MPinIdentity.Rejection

    static func linked(_ commands: [MPinIdentity.Command] = []) throws -> MPinIdentity.State {
        try MPinScene.state([MPinScene.starting(), MPinScene.link()] + commands)
    }

    @Test func `a link names the account and the device that signed`() throws {
        let state = try Self.linked()
        #expect(state.link?.employee == Scene.employee)
        #expect(state.link?.fingerprint == KeyFingerprint(of: Scene.firstKey))
        #expect(state.status(at: MPinScene.soon) == .activated)
        let events = try MPinIdentity.decide(MPinScene.started(), MPinScene.link())
        let by = try MPinScene.device().authority
        #expect(
            events == [
                .linked(
                    MPinLinked(
                        employeeID: Scene.employee, fingerprint: KeyFingerprint(of: Scene.firstKey), by: by)),
                .verified(
                    MPinIdentityVerified(
                        method: .device, issueUntil: MPinScene.soon.adding(.seconds(3_600)), by: by)),
            ])
    }

    @Test func `only an authorized device key of the active account links`() throws {
        let strangersKey = AuthorityDecision(
            caller: Scene.person(Scene.employee, user: Scene.user, role: .employee, keys: [Scene.firstKey]),
            statement: try Sample.statement(by: Scene.otherKey))
        let wrong = [
            strangersKey, try MPinScene.device(employee: Scene.admin), try MPinScene.device(status: .cancelled),
            try MPinScene.vouched(), try Scene.decision(Scene.person()), try Scene.decision(Scene.securityAdmin),
            try Scene.operated(),
        ]
        for decision in wrong {
            #expect(throws: Refusal.notPermitted) {
                try MPinIdentity.decide(MPinScene.started(), MPinScene.link(decision))
            }
        }
    }

    @Test func `an admin links only with a device key that carries the role`() throws {
        let subject = AuthoritySubject(Scene.admin, of: Sample.id(30), role: .admin)
        let carrying = try MPinScene.link(Scene.decision(Scene.person()), subject: subject)
        #expect(try MPinIdentity.decide(MPinScene.started(), carrying).count == 2)
        let vouched = try MPinScene.link(Scene.decision(Scene.person(roleKeys: [])), subject: subject)
        #expect(throws: Refusal.notPermitted) { try MPinIdentity.decide(MPinScene.started(), vouched) }
    }

    @Test func `the user id must be the account's address or employee id`() throws {
        for user in ["ZOE@bayunsystems.COM", "204"] {
            let state = try MPinScene.state([MPinScene.starting(user: user)])
            #expect(try MPinIdentity.decide(state, MPinScene.link()).count == 2)
        }
        let other = try MPinScene.state([MPinScene.starting(user: "mallory@bayunsystems.com")])
        #expect(throws: Refusal.otherUserID) { try MPinIdentity.decide(other, MPinScene.link()) }
    }

    @Test func `a link needs the text of the user id`() throws {
        let first = try #require(MPinIdentity.decide(MPinIdentity.initial, MPinScene.starting()).first)
        var event = try #require(first.payload as? MPinRegistrationStarted)
        event.userID.text = nil
        let state = MPinIdentity.fold([Sample.recorded(.started(event))])
        #expect(throws: Refusal.otherUserID) { try MPinIdentity.decide(state, MPinScene.link()) }
    }

    @Test func `a linked identity belongs to one device`() throws {
        let state = try Self.linked()
        let otherDevice = try MPinScene.device(Scene.otherKey)
        #expect(throws: Refusal.wrongState) { try MPinIdentity.decide(state, MPinScene.link(otherDevice)) }
        let other = AuthoritySubject(Scene.admin, of: Scene.user, role: .employee)
        let otherAccount = try MPinScene.device(employee: Scene.admin)
        #expect(throws: Refusal.wrongState) {
            try MPinIdentity.decide(state, MPinScene.link(otherAccount, subject: other))
        }
    }

    @Test func `a linked identity that starts again is verified by its device alone`() throws {
        let late = MPinScene.soon.adding(.seconds(3_600)), later = late.adding(.seconds(1))
        let state = try Self.linked([.restart(.initial, at: late)])
        let vouched = MPinIdentity.VerificationProof.application(try MPinScene.vouched())
        for proof in [MPinIdentity.VerificationProof.email, .code, vouched] {
            #expect(throws: Refusal.wrongState) { try MPinIdentity.decide(state, .verify(proof, at: later)) }
        }
        let events = try MPinIdentity.decide(state, MPinScene.link(at: later))
        #expect(MPinScene.names(events) == ["MPinIdentityVerified"])
    }

    @Test func `a linked identity has no use without an active employee`() throws {
        let verified = try Self.linked()
        let registered = try Self.linked([
            MPinScene.issue(linked: .active), MPinScene.prove(true, linked: .active),
        ])
        for status in [EmployeeStatus.cancelled, .registered, nil] {
            #expect(throws: Refusal.inactive) { try MPinIdentity.decide(verified, MPinScene.issue(linked: status)) }
            for isRight in [true, false] {
                #expect(throws: Refusal.inactive) {
                    try MPinIdentity.decide(registered, MPinScene.prove(isRight, linked: status))
                }
            }
        }
    }
}
