import Canonical
import Foundation
@testable import Identity
import Testing

@Suite struct `Golden events` {
    @Test func `every event is encoded as in its golden file`() throws {
        let samples = try EventSamples.all()
        for version in GoldenFiles.all {
            let encoded = try samples.filter(version.has).map(GoldenFiles.encode)
            #expect(!encoded.isEmpty, "\(version) has no sample")
            let golden = try Data(contentsOf: GoldenFiles.url(version))
            #expect(JSONValue.array(encoded).canonicalBytes() == Array(golden), "\(version)")
        }
    }

    @Test func `every golden file decodes to its sample events`() throws {
        let samples = try EventSamples.all()
        for version in GoldenFiles.all {
            let decoded = try GoldenFiles.data(version).map { try GoldenFiles.decode(version, $0) }
            let expected = samples.filter(version.has)
            #expect(decoded.count == expected.count)
            for (left, right) in zip(decoded, expected) { #expect(GoldenFiles.same(left, right), "\(version)") }
        }
    }

    @Test func `no golden file lacks its event`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: GoldenFiles.folder.path)
        #expect(Set(names) == Set(GoldenFiles.all.map { GoldenFiles.url($0).lastPathComponent }))
    }

    @Test func `the catalogue lists every declared event once`() throws {
        let walk = try #require(
            FileManager.default.enumerator(at: GoldenFiles.sources, includingPropertiesForKeys: nil))
        var declared: [String] = []
        for case let url as URL in walk where url.pathExtension == "swift" {
            let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
            declared += text.matches(of: /(?:public|package) struct (\w+): EventPayload\b/).map { String($0.output.1) }
        }
        #expect(declared.sorted() == EventCatalogue.all.map { $0.type }.sorted())
        #expect(EventCatalogue.all.allSatisfy { $0.type == String(describing: $0) })
    }

    /// Events that no decision folds; `docs/ARCHITECTURE.md` says why.
    private static let eventsWithoutAggregate: [any EventPayload.Type] = [
        AnswersValidated.self, AttemptCharged.self, AttemptsCleared.self, CheckpointSealed.self,
        CredentialsLocked.self, MPinAuthenticated.self, MPinValidated.self, MailFailed.self, MailQueued.self,
        MailSent.self, PassphraseValidated.self, SessionClosed.self, SessionOpened.self, SystemFounded.self,
        TokenKeysRotated.self, BrowserSessionOpened.self, GrantOpened.self, GrantClosed.self,
        WaitEnded.self, DeviceMailConfirmed.self, AddressProved.self, EntryDisowned.self,
        EventsKeyReplaced.self, OriginsChanged.self,
    ]

    @Test func `an event belongs to one aggregate and round-trips, or is listed as having none`() throws {
        var types = try check(EmployeeEvent.self) + check(UserEvent.self) + check(AppEvent.self)
        types += try check(InvitationEvent.self)
        types += try check(ConsentEvent.self)
        types += try check(LedgerTimeEvent.self)
        types += try check(MPinIdentityEvent.self) + check(MPinActivationEvent.self)
        types += try check(TenantEvent.self).filter { $0 != EmployeeRegistered.type }
        types += Self.eventsWithoutAggregate.map { $0.type }
        #expect(types.sorted() == EventCatalogue.all.map { $0.type }.sorted())
    }

    /// The names of the events of an aggregate, each of which must go in and come out.
    private func check<Event: AggregateEvent>(_ aggregate: Event.Type) throws -> [String] {
        let names = aggregate.payloads.map { $0.type }
        for payload in try EventSamples.all() {
            let name = Swift.type(of: payload).type
            guard let taken = aggregate.init(payload) else {
                #expect(!names.contains(name), "\(name)")
                continue
            }
            let same = GoldenFiles.same(taken.payload, payload)
            #expect(same && names.contains(name), "\(name)")
        }
        return names
    }
}

/// The files that hold the encoding of events fast: each a canonical array of `data` members.
enum GoldenFiles {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/events")
    static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Identity")
        .resolvingSymlinksInPath()

    /// Every version of every event.
    static let all: [Version] = EventCatalogue.all.flatMap { type in
        type.schemas.map { Version(type: type, schema: $0) }
    }

    /// One version of one event.
    struct Version {
        let type: any EventPayload.Type
        let schema: Int

        func has(_ payload: any EventPayload) -> Bool {
            Swift.type(of: payload) == type && payload.schema == schema
        }
    }

    static func url(_ version: Version) -> URL {
        folder.appending(path: "\(version.type.type).v\(version.schema).json")
    }

    static func data(_ version: Version) throws -> [JSONValue] {
        guard case .array(let values) = try CanonicalJSON.parse(Array(Data(contentsOf: url(version)))) else {
            throw JSONError(code: .wrongType, pointer: "", reason: "an array is expected")
        }
        return values
    }

    static func encode(_ payload: any EventPayload) throws -> JSONValue { try payload.encode(using: FakeCoder()) }

    static func decode(_ version: Version, _ data: JSONValue) throws -> any EventPayload {
        try EventCatalogue.decode(
            type: version.type.type, schema: version.schema, data: data, using: FakeCoder())
    }

    static func same(_ left: any EventPayload, _ right: any EventPayload) -> Bool {
        func compare<Event: EventPayload>(_ left: Event) -> Bool { left == right as? Event }
        return compare(left)
    }
}

/// Writes the golden file of an event that has none; never touches one that is there. `scripts/write-golden-events`
/// deletes them before, until the tag 0.1.0.
@Test(.enabled(if: ProcessInfo.processInfo.environment["TENURE_RECORD_GOLDEN"] != nil))
func `write missing golden files`() throws {
    let samples = try EventSamples.all()
    for version in GoldenFiles.all where !FileManager.default.fileExists(atPath: GoldenFiles.url(version).path) {
        let encoded = try samples.filter(version.has).map(GoldenFiles.encode)
        try Data(JSONValue.array(encoded).canonicalBytes()).write(to: GoldenFiles.url(version))
    }
}
