import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// Random histories: nothing is found in a lawful one, and what somebody with write access to the database adds is found
/// where it is, whatever lawful comes before and after.
///
/// `TENURE_HISTORIES` sets the number of each, and `TENURE_HISTORY` runs the one with that seed; `make test` runs 120.
@Suite struct RandomHistoryTests {
    /// What is done past the service, without any key.
    enum Forgery: CaseIterable {
        /// An event is appended a second time under another id.
        case repeated
        /// Two events are exchanged before a checkpoint covers them.
        case reordered
        /// An event is given a time long past.
        case backdated
        /// An event is given a time in the future.
        case postdated
        /// An event is appended without the one that the service always has with it.
        case uncaused
    }

    private static let count = ProcessInfo.processInfo.environment["TENURE_HISTORIES"].flatMap(Int.init) ?? 120
    /// Histories run in parts, so that the parts run at once.
    private static let parts = 8

    private static let only = ProcessInfo.processInfo.environment["TENURE_HISTORY"].flatMap(UInt64.init)

    private static func seeds(_ part: Int) -> [UInt64] {
        if let only { return part == 0 ? [only] : [] }
        return stride(from: part, to: count, by: parts).map { UInt64($0) }
    }

    @Test(arguments: 0..<parts)
    func `no lawful history is reported`(part: Int) throws {
        for seed in Self.seeds(part) {
            var history = try RandomHistory(seed: seed)
            for _ in 0..<Int.random(in: 5...40, using: &history.random) { try history.step() }
            if seed % 2 == 0 { try history.finish() }
            let found = history.verify().found
            #expect(found == [], "seed \(seed), at \(history.types(found))")
        }
    }

    @Test(arguments: 0..<parts)
    func `every forged event is found where it is`(part: Int) throws {
        for seed in Self.seeds(part) {
            let forgery = Forgery.allCases[Int(seed) % Forgery.allCases.count]
            var history = try RandomHistory(seed: ~seed)
            for _ in 0..<Int.random(in: 5...25, using: &history.random) { try history.step() }
            history.keepAll()
            guard let places = try history.forge(forgery) else { continue }
            // Of an exchange every later statement tells that it saw another ledger.
            if forgery != .reordered, forgery != .postdated {
                for _ in 0..<Int.random(in: 0...8, using: &history.random) { try history.step() }
            }
            if forgery != .reordered { try history.finish() }
            let found = Set(
                history.verify().found.map { RandomHistory.Place(ledger: $0.ledger, position: $0.position) })
            if forgery == .reordered {
                #expect(!found.isDisjoint(with: places), "\(forgery), seed \(seed): \(history.verify().found)")
            } else {
                #expect(
                    found == places,
                    """
                    \(forgery), seed \(seed): \(history.verify().found) at \(history.types(history.verify().found)), \
                    forged at \(places)
                    """)
            }
        }
    }

    @Test func `a time that the operator accepted is a note, and what follows is lawful`() throws {
        for seed in UInt64(0)..<20 {
            var history = try RandomHistory(seed: seed)
            for _ in 0..<5 { try history.step() }
            guard let place = try history.forge(.postdated)?.first, place.ledger == history.scene.history.ledger else {
                continue
            }
            try history.finish()
            #expect(history.verify().found.count == 1)
            try history.acceptTime()
            try history.decideAhead()
            try history.finish()
            let (found, notes) = history.verify()
            #expect(found == [], "seed \(seed)")
            #expect(notes.filter { $0.detail.contains("the operator accepted") }.count == 1)
        }
    }

    @Test func `an hour in which the clock was wrong is one note for each ledger, and what is forged later is found`()
        throws
    {
        for seed in UInt64(0)..<20 {
            var history = try RandomHistory(seed: seed)
            for _ in 0..<5 { try history.step() }
            try history.finish()
            history.keepAll()
            let ledgers = try history.wrongHour()
            try history.finish()
            #expect(history.verify().found.count > ledgers.count, "seed \(seed)")
            for ledger in ledgers { try history.accept(ledger) }
            try history.finish()
            let (found, notes) = history.verify()
            #expect(found == [], "seed \(seed), at \(history.types(found))")
            #expect(notes.count { $0.detail.contains("the operator accepted") } == ledgers.count)

            let forged = try history.forgeAhead()
            try history.finish()
            let later = history.verify().found
            #expect(later.map { RandomHistory.Place(ledger: $0.ledger, position: $0.position) } == [forged])
        }
    }
}

extension RandomHistory {
    /// Where an event is.
    struct Place: Hashable {
        let ledger: LedgerID
        let position: Int64
    }

    /// The types of the events at which something was found.
    func types(_ found: [Found]) -> [String] {
        found.map { found in
            let events =
                found.ledger == .system
                ? scene.history.system : found.ledger.isDirectory ? scene.history.directory : scene.history.events
            return events.indices.contains(Int(found.position) - 1) ? events[Int(found.position) - 1].type : ""
        }
    }

    private func place(_ ledger: LedgerID) -> Place {
        let events =
            ledger == .system
            ? scene.history.system : ledger.isDirectory ? scene.history.directory : scene.history.events
        return Place(ledger: ledger, position: Int64(events.count))
    }

    /// Does what a forger does, and returns where it must be found; `nil` if the history does not offer it.
    mutating func forge(_ forgery: RandomHistoryTests.Forgery) throws -> Set<Place>? {
        switch forgery {
        case .repeated: try repeatEvent()
        case .reordered: try exchange()
        case .backdated: try backdate()
        case .postdated: try postdate()
        case .uncaused: try addUncaused()
        }
    }

    private mutating func repeatEvent() throws -> Set<Place>? {
        let all = scene.history.events + scene.history.system
        let copied: Set<String> = [
            EmployeeKeyPresented.type, SessionOpened.type, AnswersValidated.type, CheckpointSealed.type,
        ]
        let candidates = all.filter { $0.data["by"]?["statement"] != nil || copied.contains($0.type) }
        guard let event = candidates.randomElement(using: &random) else { return nil }
        // In a quiet ledger the copy has the time of the last event, or the present one.
        let events = event.ledger == .system ? scene.history.system : scene.history.events
        let last = try #require(events.last).time
        let isQuiet = random.isOne(in: 2) && last >= now.adding(.seconds(-30))
        scene.history.time = isQuiet ? last : max(last, now)
        try scene.history.copy(event.ledger == .system ? -event.position : event.position)
        return [place(event.ledger)]
    }

    private mutating func exchange() throws -> Set<Place>? {
        // Nothing is signed meanwhile; the sealed events cannot be exchanged unnoticed in any case.
        let events = scene.history.events
        let pairs = zip(events, events.dropFirst()).filter { $0.time < $1.time && $0.stream != $1.stream }
        guard let (first, _) = pairs.randomElement(using: &random) else { return nil }
        try scene.history.exchange(first.position)
        let ledger = scene.history.ledger
        return [Place(ledger: ledger, position: first.position), Place(ledger: ledger, position: first.position + 1)]
    }

    /// A log-in that was withheld, or a decision, recorded ten minutes late as if it were older.
    private mutating func backdate() throws -> Set<Place>? {
        try finish()
        let last = try #require(scene.history.events.last).time
        now = max(now, last).adding(.seconds(900))
        try round(isMark: true)
        scene.history.time = last.adding(.seconds(1))
        scene.history.validity = .seconds(900)
        let founder = scene.asFounder
        if random.isOne(in: 2) {
            try scene.link(AppID(UUID()), roles: .usual, by: founder)
        } else {
            scene.history.request = "backdated"
            try scene.history.validate(scene.founder, on: scene.founder.device)
        }
        return [place(scene.history.ledger)]
    }

    private mutating func postdate() throws -> Set<Place>? {
        now = now.adding(.seconds(60))
        scene.history.time = now.adding(random.isOne(in: 2) ? .seconds(600) : .seconds(5 * 365 * 86_400))
        scene.history.request = "postdated"
        if random.isOne(in: 4) {
            _ = try scene.history.makeApp(.access)
            let events = scene.history.system
            return [Place(ledger: .system, position: Int64(events.count - 1))]
        }
        try scene.history.validate(scene.founder, on: scene.founder.device)
        return [place(scene.history.ledger)]
    }

    /// What a forger names: nothing, something that is not there, or any event of the company.
    private mutating func forgedCauses() -> [UUID] {
        let named = [UUID(), scene.history.events.randomElement(using: &random)?.id ?? UUID()]
        return random.isOne(in: 3) ? [] : [named.randomElement(using: &random) ?? UUID()]
    }

    private mutating func addUncaused() throws -> Set<Place>? {
        let last = try #require(scene.history.events.last).time
        scene.history.time = max(last, now)
        scene.history.request = "forged"
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let pair = try SigningKeyPair()
            try scene.history.append(
                EmployeeKeyPresented(
                    employeeID: scene.staff.id, key: pair.key, flow: FlowID(UUID()), first: false),
                to: .employee(scene.staff.id, in: scene.history.tenant), causes: forgedCauses())
        case 1: try scene.logIn(scene.staff, causes: forgedCauses())
        case 2:
            let member = SignedHistory.Member(device: try SigningKeyPair(), vouched: try SigningKeyPair())
            try scene.history.register(member, approved: state.tenant.policy.approval == .automatic)
        case 3:
            // The proof of one device does not present another one's key.
            let pair = try SigningKeyPair()
            let flow = try scene.history.validate(scene.staff, on: scene.staff.device)
            try scene.history.append(
                EmployeeKeyPresented(employeeID: scene.staff.id, key: pair.key, flow: flow, first: false),
                to: .employee(scene.staff.id, in: scene.history.tenant),
                causes: [try #require(scene.history.events.last).id])
        default:
            let time = scene.history.directory.last.map { max($0.time, now) } ?? now
            scene.history.time = time
            try scene.history.append(
                EmailReleased(userID: scene.staff.user, tenant: scene.history.tenant),
                to: .user(scene.staff.user), causes: forgedCauses())
            // The company's ledger is read to a later event than this.
            now = time.adding(.seconds(200))
            try call { scene in
                try scene.history.validate(scene.founder, on: scene.founder.device)
                try scene.logIn(scene.founder)
            }
            return [place(.directory(0x42))]
        }
        return [place(scene.history.ledger)]
    }

    /// The database's clock is two hours ahead for some minutes, and calls and commands go on; then it is right again.
    ///
    /// - Returns: The ledgers that are ahead, the system ledger first.
    mutating func wrongHour() throws -> [LedgerID] {
        let start = now
        now = start.adding(.seconds(7_200))
        for _ in 0..<3 {
            now = now.adding(.seconds(60))
            try append(to: [.system], at: now) { _ = try $0.history.makeApp(.access) }
            let member = SignedHistory.Member(device: try SigningKeyPair(), vouched: try SigningKeyPair())
            let isApproved = state.tenant.policy.approval == .automatic
            try append(to: [scene.history.ledger, .directory(0x42)], at: now) { scene in
                try scene.history.register(member, approved: isApproved)
                try scene.history.present(member.device, of: member)
            }
            try round()
        }
        now = start.adding(.seconds(300))
        for _ in 0..<5 {
            now = now.adding(.seconds(10))
            try round(isMark: true)
        }
        return [.system, scene.history.ledger]
    }

    /// The operator accepts the time of a ledger while the system ledger is ahead.
    mutating func accept(_ ledger: LedgerID) throws {
        let last = try #require((ledger == .system ? scene.history.system : scene.history.events).last)
        scene.history.time = max(now, try #require(scene.history.system.last).time)
        scene.history.validity = .microseconds(
            now.adding(.seconds(900)).microseconds - scene.history.time.microseconds)
        scene.history.request = "accepted\(ledger)"
        let stream = StreamID.ledgerTime(ledger)
        try scene.history.append(
            scene.history.byOperator(on: stream) {
                LedgerTimeAccepted(ledger: ledger.uuid, position: last.position, time: last.time, by: $0)
            }, to: stream)
    }

    /// Somebody moves the company's ledger on, after its time was accepted.
    mutating func forgeAhead() throws -> Place {
        scene.history.time = try #require(scene.history.events.last).time.adding(.seconds(1))
        scene.history.request = "forged"
        try scene.history.validate(scene.founder, on: scene.founder.device)
        return place(scene.history.ledger)
    }

    /// The operator accepts that the company's ledger is ahead.
    mutating func acceptTime() throws {
        let last = try #require(scene.history.events.last)
        try append(to: [.system], at: now) { scene in
            let stream = StreamID.ledgerTime(last.ledger)
            try scene.history.append(
                scene.history.byOperator(on: stream) {
                    LedgerTimeAccepted(ledger: last.ledger.uuid, position: last.position, time: last.time, by: $0)
                }, to: stream)
        }
    }

    /// Decisions in a ledger that is ahead: they have the accepted time, and expire by the clock.
    mutating func decideAhead() throws {
        let ahead = try #require(scene.history.events.last).time, founder = scene.asFounder
        for number in 0..<3 {
            now = now.adding(.seconds(40))
            scene.history.time = ahead
            scene.history.validity = .microseconds(now.adding(.seconds(900)).microseconds - ahead.microseconds)
            scene.history.request = "ahead\(number)"
            try scene.link(AppID(UUID()), roles: .usual, by: founder)
            try round()
        }
    }
}
