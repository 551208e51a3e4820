import Canonical
import EventCoding
import Foundation
@testable import Identity
import Testing

@testable import Credentials
@testable import IdentityService
@testable import Ledger

/// Random numbers that a seed decides.
struct HistoryGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func seconds(_ range: ClosedRange<Int>) -> Duration { .seconds(Int.random(in: range, using: &self)) }

    /// Whether something happens that happens once in so many times.
    mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

/// A random history of a company under the database's clock, with appends and rounds of signing as the service has them.
///
/// Calls wait and their process's clock is fast or slow; the operator's clock too. Signing lags, pauses for a night or
/// is lost with a restore. What the append would refuse is not appended.
struct RandomHistory {
    var scene: HistoryScene
    var random: HistoryGenerator
    /// The database's clock.
    var now: Timestamp
    /// The sizes that the newest records have.
    private var sealed: [LedgerID: Int64] = [:]
    private var lastRound: Timestamp?
    private var requests = 0
    /// Whether a process signs checkpoints.
    private var isSigning = true
    private var isRestorable = true
    /// What a restore goes back to.
    private var backup: (scene: HistoryScene, sealed: [LedgerID: Int64])?
    /// What was invited, linked and issued, and is not ended.
    private var invitation = false
    private var linked: [AppID] = []
    private var issued: [SignedHistory.Vouching] = []
    private var waiting: [(SignedHistory.Member, SigningKeyPair)] = []
    private var newcomers: [SignedHistory.Member] = []
    private var hasDomain = false

    init(seed: UInt64) throws {
        random = HistoryGenerator(seed: seed)
        scene = try HistoryScene()
        now = scene.history.time
        scene.history.pace = .zero
        try round()
    }

    // MARK: Time

    /// Lets time pass, in which checkpoints are signed.
    mutating func pass(_ time: Duration) throws {
        let end = now.adding(time)
        // A log at rest is marked.
        while isSigning, let lastRound, lastRound.adding(.seconds(840)) < end {
            now = max(now, lastRound.adding(.seconds(840)))
            try round(isMark: true)
        }
        now = end
        if isSigning, !random.isOne(in: 3) { try round() }
    }

    /// One round of signing: it reads the clock, then the ledgers, and the clock once more.
    mutating func round(isMark: Bool = false) throws {
        let sizes: [LedgerID: Int64] = [
            scene.history.ledger: scene.history.last,
            .directory(0x42): Int64(scene.history.directory.count),
        ]
        var grown = sizes.filter { $0.value > sealed[$0.key] ?? 0 }
        if grown.isEmpty {
            guard isMark else { return }
            grown = [.system: Int64(scene.history.system.count)]
        }
        let start = now
        now = now.adding(random.isOne(in: 10) ? random.seconds(1...40) : .milliseconds(20))
        sealed.merge(grown) { $1 }
        let clock = now
        try append(to: [.system], at: clock, isSigned: false) { scene in
            try scene.history.seal(grown, clock: clock, asOf: start)
        }
        lastRound = start
    }

    /// Forgets the backup: what is done from now on is not lost.
    mutating func keepAll() { isRestorable = false }

    /// Signs all that is there, as a running service does within a second.
    mutating func finish() throws {
        isSigning = true
        now = now.adding(.seconds(1))
        try round()
    }

    // MARK: Appending

    /// Runs an append under the conditions of the service, if they hold: its time is at most a minute ahead of the
    /// clock, not before the ledgers' latest events or half a minute ago, and not after the statement's expiry.
    ///
    /// - Parameters:
    ///   - given: The time by the clock of the process.
    ///   - isSigned: Whether a statement says when the append is too late.
    mutating func append(
        to ledgers: [LedgerID], at given: Timestamp, isSigned: Bool = true,
        _ step: (inout HistoryScene) throws -> Void
    ) throws {
        guard given <= now.adding(.seconds(60)) else { return }
        let heads = ledgers.compactMap { ledger in
            (ledger == .system
                ? scene.history.system : ledger.isDirectory ? scene.history.directory : scene.history.events).last?.time
        }
        guard heads.allSatisfy({ $0 <= now.adding(.seconds(60)) }) || ledgers == [.system] else { return }
        let time = heads.reduce(max(given, now.adding(.seconds(-30))), max)
        let expires = given.adding(.seconds(900))
        guard time <= expires || !isSigned else { return }
        requests += 1
        scene.history.time = time
        scene.history.validity = .microseconds(expires.microseconds - time.microseconds)
        scene.history.request = "r\(requests)"
        try step(&scene)
    }

    /// A call of the service to the company: its process's clock may differ, and the call may wait.
    mutating func call(_ step: (inout HistoryScene) throws -> Void) throws {
        let skew = random.isOne(in: 8) ? random.seconds(-3_600...60) : .zero
        let arrived = now.adding(skew)
        now = now.adding(random.isOne(in: 8) ? random.seconds(1...59) : .milliseconds(5))
        try append(to: [scene.history.ledger, .directory(0x42)], at: arrived, step)
    }

    /// A command of the operator, whose clock may differ by an hour.
    mutating func command(to ledger: LedgerID, _ step: (inout HistoryScene) throws -> Void) throws {
        let skew = random.isOne(in: 3) ? random.seconds(-3_600...3_600) : .zero
        try append(to: [ledger], at: now.adding(skew), step)
    }
}

/// What happens in a history.
extension RandomHistory {
    var state: AuthorityTrail { scene.history.state }

    private func isActive(_ member: SignedHistory.Member) -> Bool {
        state.employees[member.id]?.account?.status == .active
    }

    private func isAdmin(_ member: SignedHistory.Member) -> Bool { state.tenant.role(of: member.id) == .admin }

    private func isInForce(_ pair: SigningKeyPair, of member: SignedHistory.Member) -> Bool {
        state.employees[member.id]?.keys[pair.key]?.status == .authorized
    }

    /// Takes one step, and lets time pass.
    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1, 2: try logIn()
        case 3: try present()
        case 4: try decideKey()
        case 5: try register()
        case 6: try changeRole()
        case 7, 8: try changeStatus()
        case 9: try changeLink()
        case 10: try changePolicy()
        case 11: try invite()
        case 12, 13: try administerApps()
        case 14: try reclaim()
        case 15: try repeatLost()
        case 16: try erase()
        case 17: try night()
        case 18: restoreOrBackUp()
        default: break
        }
        let isQuiet = random.isOne(in: 12)
        try pass(isQuiet ? random.seconds(60...4_000) : random.seconds(0...30))
    }

    private mutating func logIn() throws {
        guard let member = [scene.founder, scene.admin, scene.peer, scene.staff].randomElement(using: &random),
            isActive(member), isInForce(member.device, of: member)
        else { return }
        try call { scene in
            try scene.history.validate(member, on: member.device)
            try scene.logIn(member)
        }
    }

    private mutating func present() throws {
        guard isActive(scene.staff), waiting.isEmpty else { return }
        let pair = try SigningKeyPair(), staff = scene.staff
        try call { try $0.history.present(pair, of: staff) }
        if state.employees[staff.id]?.keys[pair.key] != nil { waiting = [(staff, pair)] }
    }

    private mutating func decideKey() throws {
        guard let (member, pair) = waiting.first, isActive(member) else { return }
        waiting = []
        let app = scene.app
        if random.isOne(in: 3) {
            try call { try $0.end(.refuse, pair, of: member, by: .app(app)) }
        } else {
            let decider: SignedHistory.Decider = random.isOne(in: 2) ? .app(app) : scene.asFounder
            try call { try $0.authorize(pair, of: member, by: decider) }
            if isInForce(pair, of: member), random.isOne(in: 2) {
                let founder = scene.asFounder
                try call { try $0.end(.revoke, pair, of: member, by: founder) }
            }
        }
    }

    private mutating func register() throws {
        let member = SignedHistory.Member(device: try SigningKeyPair(), vouched: try SigningKeyPair())
        let isApproved = state.tenant.policy.approval == .automatic
        try call { scene in
            try scene.history.register(member, approved: isApproved)
            try scene.history.present(member.device, of: member)
        }
        newcomers.append(member)
    }

    private mutating func changeRole() throws {
        let founder = scene.asFounder, peer = scene.peer
        if isAdmin(peer) {
            try call { try $0.dismiss(peer, by: founder) }
        } else if isActive(peer), isInForce(peer.device, of: peer) {
            try call { try $0.appoint(peer, keys: [peer.device], by: founder) }
        }
    }

    private mutating func changeStatus() throws {
        let founder = scene.asFounder
        guard let member = ([scene.staff, scene.peer] + newcomers).randomElement(using: &random),
            let account = state.employees[member.id]?.account, !account.isErased, !account.isReclaimed,
            !account.isReleased
        else { return }
        if account.isCancelled {
            return try call { try $0.reinstate(member, by: founder) }
        }
        let isProvisional = state.employees[member.id]?.isProvisional == true, isAdmin = isAdmin(member)
        try call { scene in
            // Signed before another call of the same moment is recorded.
            let by = try scene.status(.cancel, member, by: founder)
            try scene.history.append(
                EmployeeCancelled(employeeID: member.id, reason: .cancelled, by: by), about: member)
            if isProvisional {
                try scene.history.append(
                    EmployeeIdReleased(employeeID: member.id, reason: .cancelled, by: by), about: member)
            }
            if isAdmin { try scene.history.append(AdminDismissed(employeeID: member.id, by: by)) }
        }
        waiting.removeAll { $0.0.id == member.id }
    }

    private mutating func changeLink() throws {
        let founder = scene.asFounder
        if let app = linked.popLast() {
            try call { try $0.unlink(app, by: founder) }
            if state.tenant.links[app] != nil { linked.append(app) }
        } else {
            let app = AppID(UUID()), ledger = scene.history.ledger
            if random.isOne(in: 2) {
                try call { try $0.link(app, roles: .usual, by: founder) }
            } else {
                let `operator` = SignedHistory.Decider.operator(scene.history.operatorPair)
                try command(to: ledger) { try $0.link(app, roles: .usual, by: `operator`) }
            }
            if state.tenant.links[app] != nil { linked.append(app) }
        }
    }

    private mutating func changePolicy() throws {
        let founder = scene.asFounder
        let approval: Approval = state.tenant.policy.approval == .automatic ? .admin : .automatic
        try call { try $0.change(TenantPolicy(approval: approval), by: founder) }
    }

    private mutating func invite() throws {
        let founder = scene.asFounder
        if invitation {
            try call { try $0.revokeInvitation(by: founder) }
            invitation = state.invitations[scene.invitation]?.end == nil
        } else {
            try call { try $0.invite(by: founder) }
            // If the append was refused, this is the one before, which has ended.
            invitation = state.invitations[scene.invitation].map { $0.issue != nil && $0.end == nil } ?? false
        }
    }

    private mutating func administerApps() throws {
        if let app = issued.popLast() {
            try command(to: .system) { try $0.history.revoke(app) }
        } else {
            var made: SignedHistory.Vouching?
            try command(to: .system) { made = try $0.history.makeApp(.access) }
            if let made { issued.append(made) }
        }
    }

    private mutating func reclaim() throws {
        guard hasDomain else {
            let ledger = scene.history.ledger
            try command(to: ledger) { try $0.confirmDomain() }
            return hasDomain = !state.tenant.confirmedDomains.isEmpty
        }
        guard let member = newcomers.popLast(), let account = state.employees[member.id]?.account,
            !account.isErased, !account.isReclaimed, !account.isReleased
        else { return }
        let founder = scene.asFounder, tenant = scene.history.tenant
        let isProvisional = state.employees[member.id]?.isProvisional == true
        try call { scene in
            let by = try scene.reclaim(member, by: founder)
            try scene.history.append(
                EmailReclaimed(
                    employeeID: member.id, userID: member.user, reason: Personal(member.id, "left"), by: by),
                about: member)
            try scene.history.append(
                EmployeeCancelled(employeeID: member.id, reason: .reclaimed, by: by), about: member)
            if isProvisional {
                try scene.history.append(
                    EmployeeIdReleased(employeeID: member.id, reason: .cancelled, by: by), about: member)
            }
            try scene.history.append(
                EmailReleased(userID: member.user, tenant: tenant), to: .user(member.user))
        }
    }

    /// A call whose answer was lost comes again with the same event ids and bytes: nothing is recorded.
    private mutating func repeatLost() throws {
        let last = try #require(scene.history.events.last)
        #expect(scene.history.events.contains { $0.id == last.id && $0.entry == last.entry })
    }

    private mutating func erase() throws {
        guard let member = newcomers.popLast(), let account = state.employees[member.id]?.account, !account.isErased
        else { return }
        let ledger = scene.history.ledger, stream = StreamID.employee(member.id, in: scene.history.tenant)
        try command(to: ledger) { scene in
            if !account.isCancelled {
                try scene.history.append(
                    scene.history.byOperator(on: stream) {
                        EmployeeCancelled(employeeID: member.id, reason: .cancelled, note: nil, by: $0)
                    }, to: stream)
            }
            try scene.history.append(
                scene.history.byOperator(on: stream) { EmployeeErased(employeeID: member.id, by: $0) }, to: stream)
        }
    }

    /// The service is down for some hours, and the operator works.
    private mutating func night() throws {
        isSigning = false
        for _ in 0..<3 {
            try administerApps()
            now = now.adding(random.seconds(60...7_200))
        }
        try changeLinkAtNight()
        now = now.adding(random.seconds(600...14_400))
        isSigning = true
        try round()
    }

    private mutating func changeLinkAtNight() throws {
        let app = AppID(UUID()), `operator` = SignedHistory.Decider.operator(scene.history.operatorPair)
        let ledger = scene.history.ledger
        try command(to: ledger) { try $0.link(app, roles: .usual, by: `operator`) }
        if state.tenant.links[app] != nil { linked.append(app) }
    }

    /// Takes a backup, or restores the last one: what came after it is lost, in all ledgers.
    private mutating func restoreOrBackUp() {
        guard isRestorable else { return }
        guard let backup else { return self.backup = (scene, sealed) }
        scene = backup.scene
        sealed = backup.sealed
        self.backup = nil
        (linked, issued, waiting, newcomers) = ([], [], [], [])
        invitation = state.invitations[scene.invitation].map { $0.issue != nil && $0.end == nil } ?? false
        hasDomain = !state.tenant.confirmedDomains.isEmpty
        isSigning = true
    }
}

/// Verification of all ledgers of a history, as of a database.
extension RandomHistory {
    /// A finding.
    struct Found: Hashable, CustomStringConvertible {
        let ledger: LedgerID
        let position: Int64
        let words: String
        var description: String {
            "\(ledger == .system ? "system" : ledger.isDirectory ? "directory" : "tenant") \(position): \(words)"
        }
    }

    /// What a verification finds, and its notes.
    func verify() -> (found: [Found], notes: [VerifyNote]) {
        var found: [Found] = []
        func read(
            _ events: [RecordedEvent], of ledger: LedgerID, _ roots: [ExpectedRoot], _ inspector: inout LogInspector
        ) {
            var trail = EntryTrail(ledger: ledger, expecting: roots)
            var versions: [StreamID: Int] = [:]
            for event in events {
                trail.take(
                    CheckedEvent(
                        position: event.position, leaf: event.leaf, time: event.time, event: event, violation: nil))
                if versions[event.stream, default: 0] + 1 != event.streamVersion {
                    trail.report(.stream, at: event.position, "the versions of a stream are not 1, 2, 3 …")
                }
                versions[event.stream] = event.streamVersion
                if let words = inspector.inspect(event) { trail.report(.signature, at: event.position, words) }
                if let words = inspector.follow(event) { trail.report(.signature, at: event.position, words) }
            }
            trail.finish()
            found += trail.violations.map { Found(ledger: ledger, position: $0.position ?? 0, words: $0.detail) }
        }
        func add(_ violations: [Violation]) {
            found += violations.map { Found(ledger: $0.ledger, position: $0.position ?? 0, words: $0.detail) }
        }
        var system = LogInspector(checksSignatures: true)
        read(scene.history.system, of: .system, [], &system)
        add(system.settleSystem(at: now))
        let ledger = scene.history.ledger, directory = LedgerID.directory(0x42)
        var own = LogInspector(
            checksSignatures: true, system: system.authority, of: ledger, at: now,
            sealed: system.records[ledger] ?? [])
        read(scene.history.events, of: ledger, system.records[ledger] ?? [], &own)
        add(own.later(of: ledger) + own.ahead(of: now, in: ledger))
        var validated = own.validated
        validated.causes.complete(ledger)
        add(validated.causes.unresolved)
        validated.causes.releases.isComplete = true
        // Somebody verifies some minutes later. A release of the last moments waits for the company's ledger to go on.
        validated.causes.releases.readSince = now.adding(.seconds(300))
        var users = LogInspector(
            checksSignatures: true, system: system.authority, of: directory, at: now,
            sealed: system.records[directory] ?? [], validated: validated)
        read(scene.history.directory, of: directory, system.records[directory] ?? [], &users)
        add(users.ahead(of: now, in: directory) + users.validated.causes.violations)
        return (found, system.authority.notes + own.trail.notes(of: ledger))
    }
}
