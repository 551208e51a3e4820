import Canonical
import EventCoding
import Foundation
@testable import Identity
import Testing

@testable import Credentials
@testable import IdentityService
@testable import Ledger

extension CauseTrail {
    /// What is found in the tenant's ledger, and what its directories would have to hold.
    fileprivate var found: [String] { (unresolved + violations).map(\.detail) }
}

/// What a process with the service's keys may not record past its rules: a proof opens one session of its person, and
/// gives attempts back once it is there.
@Suite struct ProofHistoryTests {
    /// The causes of a history whose last events are of one moment.
    private func causes(_ change: (inout HistoryScene) throws -> Void) throws -> CauseTrail {
        var scene = try HistoryScene()
        scene.history.pace = .zero
        try change(&scene)
        var inspector = scene.history.inspector()
        _ = scene.history.findings(with: &inspector)
        var causes = inspector.validated.causes
        causes.complete(scene.history.ledger)
        causes.releases.isComplete = true
        return causes
    }

    @Test func `a proof opens one session, on its device and of its person`() throws {
        let one = try causes { scene in
            _ = try scene.history.validate(scene.staff, on: scene.staff.device)
            try scene.logIn(scene.staff)
        }
        #expect(one.found == [])
        let two = try causes { scene in
            _ = try scene.history.validate(scene.staff, on: scene.staff.device)
            try scene.logIn(scene.staff)
            try scene.logIn(scene.staff)
        }
        #expect(two.found == [CauseTable.uncausedSession])
        let both = try causes { scene in
            for _ in 0..<2 {
                _ = try scene.history.validate(scene.staff, on: scene.staff.device)
                try scene.logIn(scene.staff)
            }
        }
        #expect(both.found == [])
        let otherPerson = try causes { scene in
            _ = try scene.history.validate(scene.peer, on: scene.staff.device)
            try scene.logIn(scene.staff)
        }
        #expect(otherPerson.found == [CauseTable.uncausedSession])
    }

    /// An event of the directory, as the verification reads it.
    private func event(
        _ payload: any EventPayload, in user: UserID, time: Timestamp = .now()
    ) throws -> RecordedEvent {
        let new = try EventCodec.encode(
            payload, id: UUID(), stream: .attempt(UUID(), of: user), keys: [:], metadata: EventMetadata())
        return try Entry.decode(try Entry.encode(new, version: 2, time: time), at: 2)
    }

    @Test func `attempts that are given back without a proof are found`() throws {
        var proved = FlowID(UUID())
        var causes = try causes { scene in proved = try scene.history.validate(scene.staff, on: scene.staff.device) }
        let user = UserID(UUID()), credential = CredentialID(UUID()), addressed = FlowID(UUID())
        func clear(_ flow: FlowID, at time: Timestamp = .now()) throws -> String? {
            causes.match(
                try event(
                    AttemptsCleared(credentialID: credential, flow: flow, charge: ChargeID(UUID())), in: user,
                    time: time))
        }
        #expect(try clear(proved) == nil)
        #expect(try clear(addressed) == ReleaseTrail.uncausedRefund)
        let address = AddressProved(
            userID: user, credentialID: credential, flow: addressed, device: .unknown,
            fingerprint: KeyFingerprint(of: try SigningKeyPair().key))
        #expect(causes.match(try event(address, in: user)) == nil)
        #expect(try clear(addressed) == nil)
        // What was appended while the tenants' ledgers were read has its proof behind them.
        causes.releases.readSince = .now()
        #expect(try clear(FlowID(UUID()), at: .now().adding(.seconds(1))) == nil)
        #expect(try clear(FlowID(UUID()), at: .now().adding(.seconds(-60))) == ReleaseTrail.uncausedRefund)
    }

    private func charge(_ spent: Int, _ limit: Int = 20, share: Int, of digest: UInt8 = 1) throws -> AttemptCharged {
        AttemptCharged(
            credentialID: CredentialID(LedgerID.system.uuid), flow: FlowID(UUID()), device: .unknown,
            fingerprint: KeyFingerprint(of: try SigningKeyPair().key), spent: spent, limit: limit,
            shares: [.init(share: try #require(Bytes32([UInt8](repeating: digest, count: 32))), spent: share, limit: 5)]
        )
    }

    @Test func `charges above a limit, and shares that were lowered, are found`() throws {
        func found(_ charges: [AttemptCharged]) throws -> [String] {
            var trail = BudgetTrail(ledger: .system, rules: BudgetRules())
            let user = UserID(UUID())
            for charge in charges { try trail.add(try event(charge, in: user)) }
            return trail.violations.map(\.detail)
        }
        let lowered = "an attempt budget was lowered before this charge, by no success"
        let above = "an attempt was charged above its limit"
        #expect(try found((1...5).map { try charge($0, share: $0) }) == [])
        #expect(try found([try charge(5, share: 5), try charge(6, share: 1, of: 2)]) == [])
        #expect(try found([try charge(5, share: 5), try charge(6, share: 1)]) == [lowered])
        #expect(try found([try charge(6, share: 6)]) == [above])
        #expect(try found([try charge(21, share: 1)]) == [above])
    }

    /// Charges of one budget: what each says is spent, and how many seconds after the first it comes.
    private func lowered(_ charges: [(spent: Int, second: Int)], device: DeviceKind = .unknown) throws -> [Int] {
        var trail = BudgetTrail(ledger: .system, rules: BudgetRules())
        let user = UserID(UUID()), start = Timestamp.now(), fingerprint = KeyFingerprint(of: try SigningKeyPair().key)
        var positions: [Int] = []
        for (index, charge) in charges.enumerated() {
            let before = trail.violations.count
            let charged = AttemptCharged(
                credentialID: CredentialID(LedgerID.system.uuid), flow: FlowID(UUID()), device: device,
                fingerprint: fingerprint, spent: charge.spent, limit: 20)
            try trail.add(try event(charged, in: user, time: start.adding(.seconds(charge.second))))
            if trail.violations.count > before { positions.append(index) }
        }
        return positions
    }

    @Test func `a budget that is lowered by one before each charge is found, and refills are counted once`() throws {
        #expect(try lowered((0..<25).map { (1, $0) }).first == 1)
        #expect(try lowered((0..<25).map { (min(3, $0 + 1), $0 * 2) }).first == 3)
        // An hour gives one attempt back, and not one before each charge of the next minute.
        #expect(try lowered([(1, 0), (2, 10), (2, 3_610), (3, 3_620)]) == [])
        #expect(try lowered([(1, 0), (2, 10), (2, 3_610), (2, 3_620), (2, 3_630)]).first == 3)
        // Refills go on from where they began, not from the last charge.
        #expect(try lowered([(1, 0), (2, 3_500), (2, 3_600), (2, 7_200), (1, 14_400)]) == [])
        #expect(try lowered((0..<30).map { (1, $0 * 3_600) }) == [])
    }

    @Test func `the delays of a known device, and the caps of charges without a success, are held`() throws {
        // Each attempt after the fifth waits twice as long as the last, up to an hour.
        var second = 0, charges: [(Int, Int)] = []
        for spent in 1...12 {
            charges.append((spent, second))
            second += spent > 5 ? 1 << (spent - 6) : 1
        }
        #expect(try lowered(charges, device: .known) == [])
        charges.append((13, second))
        #expect(try lowered(charges, device: .known) == [])
        // The thirteenth asks for 128 seconds.
        #expect(try lowered(charges + [(14, second + 20)], device: .known) == [13])
        // A hundred charges of unknown devices lock a credential, however slowly they come.
        #expect(try lowered((0..<100).map { (1, $0 * 3_600) }) == [])
        #expect(try lowered((0..<101).map { (1, $0 * 3_600) }) == [100])
        // A known device then has one attempt a day.
        let slow = (0..<100).map { (1, $0 * 3_600) }
        #expect(try lowered(slow + [(1, 99 * 3_600 + 86_400)], device: .known) == [])
        #expect(try lowered(slow + [(1, 100 * 3_600)], device: .known) == [100])
    }

    @Test func `an event that this version does not know is found, and so is one that it cannot read`() throws {
        let user = UserID(UUID())
        var unknown = try event(
            AttemptsCleared(
                credentialID: CredentialID(UUID()), flow: FlowID(UUID()), charge: ChargeID(UUID())), in: user)
        unknown = try changed(unknown, type: "AdminMade")
        #expect(EventSignatures.violation(unknown) == "the type of the event is not known to this version")
        let unread = try changed(unknown, type: EmailVerified.type)
        #expect(EventSignatures.violation(unread) == "the event cannot be read")
    }

    private func changed(_ event: RecordedEvent, type: String) throws -> RecordedEvent {
        let new = NewEvent(id: event.id, stream: event.stream, type: type, data: [:])
        return try Entry.decode(try Entry.encode(new, version: 1, time: event.time), at: event.position)
    }

    /// An owner of the schema exchanges the positions of two events, or removes the first.
    @Test func `a company whose first event does not found it is refused`() throws {
        var scene = try HistoryScene()
        try scene.confirmDomain()
        let history = scene.history, stream = StreamID.tenant(history.tenant)
        let events = StreamEvents(history.events.filter { $0.stream == stream })
        let registered = history.events.filter { $0.type == EmployeeRegistered.type }
        #expect(try StateLoader.tenant(history.tenant, history.events.first, events).exists)
        #expect(try !StateLoader.tenant(history.tenant, nil, []).exists)
        for first in [registered.last, history.events.last, nil] {
            let error = #expect(throws: LedgerError.self) { try StateLoader.tenant(history.tenant, first, events) }
            #expect(error?.code == .invalidEntry)
        }
    }
}
