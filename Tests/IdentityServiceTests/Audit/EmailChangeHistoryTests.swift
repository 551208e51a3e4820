import Canonical
import EventCoding
import Foundation
import Keys
import Testing

@testable import Identity
@testable import IdentityService
@testable import Ledger

/// Changes of addresses, as a process with the service's keys may record them.
@Suite struct EmailChangeHistoryTests {
    private static let start = Timestamp(microseconds: 1_900_000_000_000_000)

    private func event(
        _ payload: any EventPayload, of user: UserID, causes: [UUID] = [], at time: Timestamp = start,
        position: Int64 = 2
    ) throws -> RecordedEvent {
        var new = try EventCodec.encode(
            payload, id: UUID(), stream: .user(user), keys: [user.uuid: PersonKey(id: user.uuid, key: SecretKey())],
            metadata: EventMetadata())
        new.causes = causes
        return try Entry.decode(try Entry.encode(new, version: 2, time: time), at: position)
    }

    /// The trail after a tenant's history in which the staff signed a change, with the id of that event.
    private func trail(_ change: (inout HistoryScene) throws -> Void = { _ in }) throws -> (
        trail: CauseTrail, scene: HistoryScene, signed: UUID
    ) {
        var scene = try HistoryScene()
        try scene.changeEmail(of: scene.staff, by: .member(scene.staff, scene.staff.device))
        try change(&scene)
        let signed = try #require(scene.history.events.last { $0.type == EmployeeEmailChanged.type }).id
        var inspector = scene.history.inspector()
        _ = scene.history.findings(with: &inspector)
        var causes = inspector.validated.causes
        causes.complete(scene.history.ledger)
        causes.releases.isComplete = true
        return (causes, scene, signed)
    }

    private func changed(_ user: UserID, _ cause: UUID?, undoable: Bool = true, at time: Timestamp = start) throws
        -> RecordedEvent
    {
        try event(
            EmailChanged(
                userID: user, email: Personal(user, "new@acme.example"),
                undoUntil: undoable ? time.adding(User.undoWindow) : nil),
            of: user, causes: cause.map { [$0] } ?? [], at: time)
    }

    @Test func `a user's address changes with a signed decision of the user, once`() throws {
        var (trail, scene, signed) = try trail()
        let user = scene.staff.user
        #expect(trail.match(try changed(user, signed, undoable: false)) == nil)
        #expect(trail.match(try changed(user, signed)) == CauseTable.uncausedChange)
        #expect(trail.match(try changed(UserID(UUID()), signed)) == CauseTable.uncausedChange)
        #expect(trail.match(try changed(UserID(UUID()), nil)) == CauseTable.uncausedChange)
    }

    @Test func `no second change while the first can be undone, which happens once and in time`() throws {
        let (before, scene, signed) = try trail(), user = scene.staff.user, late = Self.start.adding(User.undoWindow)
        func undone(_ change: Int64 = 2, at time: Timestamp) throws -> RecordedEvent {
            try event(EmailChangeUndone(userID: user, change: change), of: user, at: time, position: 3)
        }
        var trail = before
        #expect(trail.match(try changed(user, signed)) == nil)
        var twice = trail, wrong = trail, tooLate = trail
        #expect(twice.match(try changed(user, signed, at: Self.start.adding(.seconds(1)))) == CauseTable.openChange)
        #expect(wrong.match(try undone(1, at: Self.start)) == CauseTable.lateUndo)
        #expect(tooLate.match(try undone(at: late.adding(.seconds(86_400)))) == CauseTable.lateUndo)
        #expect(trail.match(try undone(at: late.adding(.seconds(-1)))) == nil)
        #expect(trail.match(try undone(at: late.adding(.seconds(-1)))) == CauseTable.lateUndo)
        var never = before
        #expect(never.match(try undone(at: Self.start)) == CauseTable.lateUndo)
    }

    @Test func `a statement about another address is found`() throws {
        try HistoryScene.expect("the statement is about something else", after: { _ in }) {
            try $0.changeEmail(of: $0.staff, by: .member($0.staff, $0.staff.device), signedSubject: 9)
        }
    }

    @Test func `an account takes over an address only with a change of its user`() throws {
        let followed = try trail { scene in
            let member = scene.staff
            try scene.history.append(
                EmployeeEmailChanged(
                    employeeID: member.id, userID: member.user, email: Personal(member.id, "new@acme.example"),
                    by: .policy), about: member)
        }
        #expect(followed.trail.unresolved.map(\.detail) == [CauseTable.uncausedFollowing])
    }

    @Test func `a change gives the former address the right that it has`() throws {
        let (before, scene, last) = try trail { scene in
            try scene.changeEmail(of: scene.staff, by: .member(scene.staff, scene.staff.device))
        }
        let user = scene.staff.user
        let first = try #require(scene.history.events.first { $0.type == EmployeeEmailChanged.type }).id
        func confirm(_ trail: inout CauseTrail) throws {
            let verified = try event(EmailVerified(userID: user, address: 1), of: user)
            #expect(trail.match(verified) == nil)
        }
        // A confirmed address may undo.
        var omitted = before, given = before, new = before
        try confirm(&omitted)
        #expect(omitted.match(try changed(user, first, undoable: false)) == CauseTable.wrongUndo)
        try confirm(&given)
        #expect(given.match(try changed(user, first)) == nil)
        // One that came less than 14 days before may not, and then it may.
        #expect(new.match(try changed(user, first, undoable: false)) == nil)
        var soon = new, later = new
        let end = Self.start.adding(User.undoWindow)
        #expect(soon.match(try changed(user, last, at: end.adding(.seconds(-1)))) == CauseTable.wrongUndo)
        #expect(later.match(try changed(user, last, at: end)) == nil)
    }
}
