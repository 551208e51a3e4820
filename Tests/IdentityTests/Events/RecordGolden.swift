import Canonical
import Identity
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes the golden file of an event that has none; never touches one that is there, because those are for ever.
@Test(.enabled(if: ProcessInfo.processInfo.environment["TENURE_RECORD_GOLDEN"] != nil))
func `write missing golden files`() throws {
    let samples = try EventSamples.all()
    for type in EventCatalogue.all where !FileManager.default.fileExists(atPath: GoldenFiles.url(type).path) {
        let encoded = try samples.filter { Swift.type(of: $0) == type }.map(GoldenFiles.encode)
        try Data(JSONValue.array(encoded).canonicalBytes()).write(to: GoldenFiles.url(type))
    }
}
