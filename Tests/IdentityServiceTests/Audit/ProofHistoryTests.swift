import Canonical
import EventCoding
import Foundation
@testable import Identity
import Testing

@testable import Credentials
@testable import IdentityService
@testable import Ledger

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
        causes.isComplete = true
        return causes
    }

    @Test func `a proof opens one session, on its device and of its person`() throws {
        let one = try causes { scene in
            _ = try scene.history.validate(scene.staff, on: scene.staff.device)
            try scene.logIn(scene.staff)
        }
        #expect(one.violations == [])
        let two = try causes { scene in
            _ = try scene.history.validate(scene.staff, on: scene.staff.device)
            try scene.logIn(scene.staff)
            try scene.logIn(scene.staff)
        }
        #expect(two.violations.map(\.detail) == [CauseTrail.uncausedSession])
        let both = try causes { scene in
            for _ in 0..<2 {
                _ = try scene.history.validate(scene.staff, on: scene.staff.device)
                try scene.logIn(scene.staff)
            }
        }
        #expect(both.violations == [])
        let otherPerson = try causes { scene in
            _ = try scene.history.validate(scene.peer, on: scene.staff.device)
            try scene.logIn(scene.staff)
        }
        #expect(otherPerson.violations.map(\.detail) == [CauseTrail.uncausedSession])
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
        #expect(try clear(addressed) == CauseTrail.uncausedRefund)
        let address = AddressProved(
            userID: user, credentialID: credential, flow: addressed, device: .unknown,
            fingerprint: KeyFingerprint(of: try SigningKeyPair().key))
        #expect(causes.match(try event(address, in: user)) == nil)
        #expect(try clear(addressed) == nil)
        // What was appended while the tenants' ledgers were read has its proof behind them.
        causes.readSince = .now()
        #expect(try clear(FlowID(UUID()), at: .now().adding(.seconds(1))) == nil)
        #expect(try clear(FlowID(UUID()), at: .now().adding(.seconds(-60))) == CauseTrail.uncausedRefund)
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
