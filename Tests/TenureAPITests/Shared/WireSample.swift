import Canonical
import Foundation
import TenureAPI

/// A value for every kind of member; values of different numbers differ.
enum WireSample {
    /// The kind of a member without a sample.
    struct UnknownKind: Error {
        let kind: ValueDescription
    }

    /// Documents with all members of an object: one, or one for each alternative.
    static func documents<Object: WireObject>(of type: Object.Type) throws -> [[String: JSONValue]] {
        try documents(of: type, from: 0)
    }

    /// The type of an object or of the elements of an array; `nil` for another value.
    static func part(_ description: ValueDescription) -> (any WireObject.Type)? {
        switch description {
        case .array(let element, _): part(element)
        case .object(let name): WireCatalogue.all.first { $0.tableName == name }
        default: nil
        }
    }

    static func value(_ description: ValueDescription, _ number: Int) throws -> JSONValue {
        switch description {
        case .boolean: return .bool(number.isMultiple(of: 2))
        case .integer(let range):
            return .integer(range.lowerBound + Int64(number) % (range.upperBound - range.lowerBound + 1))
        case .word(let words): return .string(words[number % words.count])
        case .array(let element, _): return [try value(element, number)]
        case .object(name: "EventData"): return ["n": .integer(Int64(number))]
        case .string(format: "uuid"): return .string("00000000-0000-4000-8000-\(String(100_000_000_000 + number))")
        case .string(format: "date-time"): return .timestamp(Timestamp(microseconds: Int64(number)))
        case .string(format: "byte"): return .string(Base64.encode([UInt8(truncatingIfNeeded: number)]))
        case .bytes: return .string(Base64URL.encode([UInt8(truncatingIfNeeded: number)]))
        case .string(format: "text"): return .string("text \(number)")
        default:
            guard let type = part(description) else { throw UnknownKind(kind: description) }
            return .object(try documents(of: type, from: number)[0])
        }
    }

    private static func documents<Object: WireObject>(
        of type: Object.Type, from number: Int
    ) throws -> [[String: JSONValue]] {
        var json: [String: JSONValue] = [:]
        for (index, member) in type.rows.enumerated() {
            json[member.name] = try value(member.value, number + index)
        }
        guard let alternatives = WireCatalogue.alternatives[type.tableName] else { return [json] }
        return alternatives.map { chosen in
            json.filter { name, _ in chosen.contains(name) || !alternatives.joined().contains(name) }
        }
    }
}
