#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Writes an object in canonical form, member by member, without building a ``JSONValue`` first.
///
/// ```swift
/// var object = CanonicalObject(reservingCapacity: 128)
/// object.add("id", id)
/// object.add("time", time)
/// let bytes = object.finish()
/// ```
///
/// Members must be added in the canonical order of their names. Names must be ASCII without anything to escape. Debug
/// builds check both.
public struct CanonicalObject: Sendable {
    private var bytes: [UInt8] = []
    #if DEBUG
    private var last: String?
    #endif

    /// An object without members.
    public init(reservingCapacity capacity: Int) {
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Adds any value.
    public mutating func add(_ name: StaticString, _ value: JSONValue) {
        begin(name)
        CanonicalForm.append(value, to: &bytes)
    }

    /// Adds an integer.
    public mutating func add(_ name: StaticString, _ number: Int) {
        begin(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Adds a string.
    public mutating func add(_ name: StaticString, _ text: String) {
        begin(name)
        CanonicalForm.append(text, to: &bytes)
    }

    /// Adds an identifier.
    public mutating func add(_ name: StaticString, _ id: UUID) {
        begin(name)
        append(id, after: "")
    }

    /// Adds a string that is a prefix, which needs no escape, and an identifier.
    public mutating func add(_ name: StaticString, _ id: UUID, after prefix: String) {
        begin(name)
        append(id, after: prefix)
    }

    /// Adds an array of identifiers.
    public mutating func add(_ name: StaticString, _ ids: [UUID]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, id) in ids.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(id, after: "")
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Adds an instant.
    public mutating func add(_ name: StaticString, _ time: Timestamp) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: time.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the bytes of the whole object.
    public consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private mutating func append(_ id: UUID, after prefix: String) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: prefix.utf8)
        id.appendLowercased(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func begin(_ name: StaticString) {
        #if DEBUG
        assert(last.map { CanonicalForm.precedes($0, name.description) } ?? true, "members are out of order")
        assert(name.description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        last = name.description
        #endif
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }
}
