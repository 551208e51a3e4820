import Canonical
import EventCoding
import Foundation
@testable import Identity
import Testing

@testable import IdentityService
@testable import Ledger

/// Addresses that give way in a directory, as a process with the service's keys may record them.
@Suite struct GivingWayHistoryTests {
    private static let start = Timestamp(microseconds: 1_900_000_000_000_000)

    private func event(
        _ payload: any EventPayload, of user: UserID, causes: [UUID] = [], at time: Timestamp = start,
        version: Int = 2
    ) throws -> RecordedEvent {
        var new = try EventCodec.encode(
            payload, id: UUID(), stream: .user(user), keys: [:], metadata: EventMetadata())
        new.causes = causes
        return try Entry.decode(try Entry.encode(new, version: version, time: time), at: 2)
    }

    /// The first event of a user, as far as the trail reads it.
    private func credentials(
        of user: UserID, at time: Timestamp = start, isSecretless: Bool = false
    ) throws -> RecordedEvent {
        var data: JSONValue = ["userId": .uuid(user.uuid)]
        if isSecretless { data = ["secretless": true, "userId": .uuid(user.uuid)] }
        let new = NewEvent(id: UUID(), stream: .user(user), type: CredentialsSet.type, data: data)
        return try Entry.decode(try Entry.encode(new, version: 1, time: time), at: 1)
    }

    /// What a proof of a mailbox may be besides that of a new user.
    enum Proof: CaseIterable {
        /// Its user was there before.
        case ofKnownUser
        /// It confirms an address by its position, as the link of a mail does.
        case ofPosition
        /// It is a later event of the new user.
        case late
    }

    /// The trail after a tenant's history that ends long before.
    private func trail(
        isComplete: Bool = true, _ change: (inout HistoryScene) throws -> Void = { _ in }
    ) throws -> (trail: CauseTrail, scene: HistoryScene) {
        var scene = try HistoryScene()
        try change(&scene)
        var inspector = scene.history.inspector()
        _ = scene.history.findings(with: &inspector)
        var causes = inspector.validated.causes
        causes.complete(scene.history.ledger)
        causes.releases.isComplete = isComplete
        return (causes, scene)
    }

    /// What is found when the address of a user gives way to another one.
    private func found(
        _ trail: CauseTrail, _ holder: UserID, to claimant: UserID = UserID(UUID()), provedBy prover: UserID? = nil,
        by kind: Proof? = nil, later: Duration = .zero, twice: Bool = false, confirmed: Bool = false
    ) throws -> [String] {
        var trail = trail
        let prover = prover ?? claimant
        let proof = try event(
            EmailVerified(userID: prover, address: kind == .ofPosition ? 1 : nil), of: prover,
            version: kind == .late ? 3 : 2)
        let made = kind == .ofKnownUser ? Self.start.adding(.seconds(-1)) : Self.start
        var events = [try credentials(of: prover, at: made)]
        if confirmed {
            events.append(
                try event(
                    EmailVerified(userID: holder, address: 1), of: holder, at: Self.start.adding(.seconds(-60))))
        }
        events.append(proof)
        for _ in 0..<(twice ? 2 : 1) {
            events.append(
                try event(
                    EmailGaveWay(userID: holder, claimant: claimant), of: holder, causes: [proof.id],
                    at: Self.start.adding(later)))
        }
        let found = events.compactMap { trail.match($0) }
        // The stream of whoever was a user before has the cause.
        let stream = events.filter { $0.stream == .user(prover) }
        return found + trail.releases.given.filter { !$0.isCaused(by: stream) }.map(\.violation.detail)
    }

    @Test func `an address gives way to the proof of its mailbox in the same append, once`() throws {
        let (trail, scene) = try trail(), holder = UserID(UUID())
        #expect(try found(trail, holder) == [])
        // Founders authorize themselves.
        #expect(try found(trail, scene.founder.user) == [])
        #expect(try found(trail, holder, provedBy: UserID(UUID())) == [CauseTable.uncausedGivingWay])
        // A holder who proves the mailbox has confirmed the address.
        #expect(try found(trail, holder, to: holder) == [CauseTable.vouchedLost])
        #expect(try found(trail, holder, later: .milliseconds(1)) == [CauseTable.uncausedGivingWay])
        #expect(try found(trail, holder, twice: true) == [CauseTable.uncausedGivingWay])
    }

    @Test(arguments: Proof.allCases)
    func `an address gives way to a new user only, by the event after their credentials`(kind: Proof) throws {
        let trail = try trail().trail
        #expect(try found(trail, UserID(UUID()), by: kind) == [CauseTable.uncausedGivingWay])
    }

    @Test func `an address gives way to the first confirmation of somebody who registered without a secret`() throws {
        let holder = UserID(UUID()), claimant = UserID(UUID())
        func found(
            isSecretless: Bool = true, isSecond: Bool = false, later: Duration = .zero, cause: UUID? = nil,
            to other: UserID? = nil, twice: Bool = false
        ) throws -> [String] {
            var trail = try trail().trail
            let first = try credentials(
                of: claimant, at: Self.start.adding(.seconds(-3_600)), isSecretless: isSecretless)
            let proof = try event(EmailVerified(userID: claimant, address: 1), of: claimant)
            let stream =
                isSecond ? [first, try event(EmailVerified(userID: claimant, address: 1), of: claimant)] : [first]
            // The directories of holder and claimant are two: the trail of the one does not read the other.
            let gaveWay = try event(
                EmailGaveWay(userID: holder, claimant: other ?? claimant), of: holder, causes: [cause ?? proof.id],
                at: Self.start.adding(later))
            let found = (0..<(twice ? 2 : 1)).compactMap { _ in trail.match(gaveWay) }
            return found + trail.releases.given.filter { !$0.isCaused(by: stream + [proof]) }.map(\.violation.detail)
        }
        #expect(try found() == [])
        #expect(try found(later: .seconds(59)) == [])
        let wrong = [CauseTable.uncausedGivingWay]
        #expect(try found(isSecretless: false) == wrong)
        #expect(try found(isSecond: true) == wrong)
        #expect(try found(later: .seconds(61)) == wrong)
        #expect(try found(cause: UUID()) == wrong)
        #expect(try found(to: holder) == wrong)
        #expect(try found(twice: true) == wrong)
    }

    @Test func `an address without a cause is found, unless only the streams of a tenant's users are read`() throws {
        let holder = UserID(UUID()), claimant = UserID(UUID())
        for isComplete in [true, false] {
            var (trail, _) = try trail(isComplete: isComplete)
            let none = try event(EmailGaveWay(userID: holder, claimant: claimant), of: holder)
            #expect(trail.match(none) == CauseTable.uncausedGivingWay)
            let unread = try event(EmailGaveWay(userID: holder, claimant: claimant), of: holder, causes: [UUID()])
            #expect(trail.match(unread) == nil)
            // The claimant's stream is read then.
            #expect(trail.releases.given.map(\.claimant) == (isComplete ? [claimant.uuid] : []))
        }
    }

    @Test func `nobody loses an address that is confirmed, or after somebody vouched for them`() throws {
        let (trail, scene) = try trail()
        // The founder authorized the key of the staff.
        #expect(try found(trail, scene.staff.user) == [CauseTable.vouchedLost])
        #expect(try found(trail, UserID(UUID()), confirmed: true) == [CauseTable.vouchedLost])
    }

    @Test func `an M-Pin identity ends for an address that gave way, and for no other`() throws {
        var (trail, scene) = try trail { scene in
            try scene.linkMPinOfStaff()
            try scene.appendMPin(MPinRevoked(reason: .gaveWay, by: .policy, userID: scene.staff.user))
        }
        #expect(trail.users.contains(scene.staff.user.uuid))
        #expect(trail.violations.map(\.detail).contains(CauseTable.keptPIN))
        let holder = scene.staff.user, time = scene.history.time
        // The address may give way at another time too: that ends nothing now.
        for other: Duration in [.seconds(-3_600), .seconds(3_600)] {
            let gaveWay = EmailGaveWay(userID: holder, claimant: UserID(UUID()))
            _ = trail.match(try event(gaveWay, of: holder, at: time.adding(other)))
            #expect(trail.violations.map(\.detail).contains(CauseTable.keptPIN))
        }
        _ = trail.match(try event(EmailGaveWay(userID: holder, claimant: UserID(UUID())), of: holder, at: time))
        #expect(!trail.violations.map(\.detail).contains(CauseTable.keptPIN))
        try HistoryScene.expect(
            "an M-Pin identity ends for an address that its account's user did not have",
            after: { try $0.linkMPinOfStaff() }
        ) {
            try $0.appendMPin(MPinRevoked(reason: .gaveWay, by: .policy, userID: $0.peer.user))
        }
    }
}
