import Canonical
import Identity
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct `Golden events` {
    @Test func `every event is encoded as its golden file says`() throws {
        let samples = try EventSamples.all()
        for type in EventCatalogue.all {
            let encoded = try samples.filter { Swift.type(of: $0) == type }.map(GoldenFiles.encode)
            #expect(!encoded.isEmpty, "\(type.type) has no sample")
            let golden = try Data(contentsOf: GoldenFiles.url(type))
            #expect(JSONValue.array(encoded).canonicalBytes() == Array(golden), "\(type.type)")
        }
    }

    @Test func `every golden file decodes to the events it was made of`() throws {
        let samples = try EventSamples.all()
        for type in EventCatalogue.all {
            let decoded = try GoldenFiles.data(type).map { try GoldenFiles.decode(type, $0) }
            let expected = samples.filter { Swift.type(of: $0) == type }
            #expect(decoded.count == expected.count)
            for (left, right) in zip(decoded, expected) { #expect(GoldenFiles.same(left, right), "\(type.type)") }
        }
    }

    @Test func `no golden file is left over`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: GoldenFiles.folder.path)
        #expect(Set(names) == Set(EventCatalogue.all.map { GoldenFiles.url($0).lastPathComponent }))
    }

    @Test func `the catalogue lists the files of the events folder, each once`() throws {
        var files: [String] = []
        for aggregate in try FileManager.default.contentsOfDirectory(atPath: GoldenFiles.sources.path) {
            let folder = GoldenFiles.sources.appending(path: aggregate)
            files += try FileManager.default.contentsOfDirectory(atPath: folder.path)
        }
        #expect(files.sorted() == EventCatalogue.all.map { "\($0.type).swift" }.sorted())
        #expect(EventCatalogue.all.allSatisfy { $0.type == String(describing: $0) })
    }

    @Test func `aggregates hold every event and give it back`() throws {
        var types = try check(EmployeeEvent.self) + check(UserEvent.self) + check(AppEvent.self)
        types += try check(AttemptEvent.self) + check(FlowEvent.self) + check(SessionEvent.self)
        types += try check(CheckpointEvent.self)
        types += try check(TenantEvent.self).filter { $0 != EmployeeRegistered.type }
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
