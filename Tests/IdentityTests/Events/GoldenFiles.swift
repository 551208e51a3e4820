import Canonical
import Identity
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The files that hold the encoding of events fast: each a canonical array of `data` members.
enum GoldenFiles {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/events")
    static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Identity/Events")

    static func url(_ payload: any EventPayload.Type) -> URL {
        folder.appending(path: "\(payload.type).v\(payload.schema).json")
    }

    static func data(_ payload: any EventPayload.Type) throws -> [JSONValue] {
        guard case .array(let values) = try CanonicalJSON.parse(Array(Data(contentsOf: url(payload)))) else {
            throw JSONError(code: .wrongType, pointer: "", reason: "an array is expected")
        }
        return values
    }

    static func encode(_ payload: any EventPayload) throws -> JSONValue { try payload.encode(using: FakeCoder()) }

    static func decode(_ type: any EventPayload.Type, _ data: JSONValue) throws -> any EventPayload {
        try EventCatalogue.decode(type: type.type, schema: type.schema, data: data, using: FakeCoder())
    }

    static func same(_ left: any EventPayload, _ right: any EventPayload) -> Bool {
        func compare<Event: EventPayload>(_ left: Event) -> Bool { left == right as? Event }
        return compare(left)
    }
}
