#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a value is written as one member of an object, read from it and described.
public struct MemberKind<Value>: Sendable {
    /// The JSON that the member holds.
    public let description: ValueDescription
    @usableFromInline let read: @Sendable (JSONValue, MemberPlace) throws(JSONError) -> Value
    @usableFromInline let write: @Sendable (Value, MemberPlace) throws(JSONError) -> JSONValue

    /// A kind whose values are read and written by hand. Both throw ``MemberPlace/invalid(_:)`` for a value that no
    /// document may have, so that nothing is written that cannot be read.
    @inlinable public init(
        _ description: ValueDescription,
        read: @escaping @Sendable (JSONValue, MemberPlace) throws(JSONError) -> Value,
        write: @escaping @Sendable (Value, MemberPlace) throws(JSONError) -> JSONValue
    ) {
        self.description = description
        self.read = read
        self.write = write
    }

    /// Reads a value at its place.
    ///
    /// - Throws: ``JSONError`` if the value is not one of the kind.
    public func read(_ json: JSONValue, at place: MemberPlace) throws(JSONError) -> Value {
        try read(json, place)
    }

    /// Writes a value at its place.
    ///
    /// - Throws: ``JSONError`` if no document may have the value.
    public func write(_ value: Value, at place: MemberPlace) throws(JSONError) -> JSONValue {
        try write(value, place)
    }

    /// Values that are one string each.
    ///
    /// - Parameters:
    ///   - reason: The reason why a text is refused, such as "a reason code is expected".
    ///   - parse: Returns `nil` for a text that is refused.
    @inlinable public static func text(
        _ description: ValueDescription, _ reason: String, parse: @escaping @Sendable (String) -> Value?,
        text: @escaping @Sendable (Value) -> String
    ) -> MemberKind {
        MemberKind(description) { (json, place) throws(JSONError) in
            guard let value = parse(try json.string(at: place)) else { throw place.invalid(reason) }
            return value
        } write: { (value, _) in
            .string(text(value))
        }
    }

    /// Values that are a number of bytes each.
    ///
    /// - Parameters:
    ///   - reason: The reason why bytes are refused, such as "64 bytes are expected".
    ///   - parse: Returns `nil` for bytes that are refused.
    @inlinable public static func bytes(
        _ count: ClosedRange<Int>, _ reason: String, parse: @escaping @Sendable ([UInt8]) -> Value?,
        bytes: @escaping @Sendable (Value) -> [UInt8]
    ) -> MemberKind {
        MemberKind(.bytes(count)) { (json, place) throws(JSONError) in
            guard let value = parse(try json.bytes(at: place)) else { throw place.invalid(reason) }
            return value
        } write: { (value, _) in
            .bytes(bytes(value))
        }
    }
}

/// A type whose values are written as a member in one way.
public protocol MemberValue: Sendable {
    /// How a value is written, read and described.
    static var memberKind: MemberKind<Self> { get }
}

extension MemberValue where Self: RawRepresentable<String> & CaseIterable {
    /// One of the words of the type.
    @inlinable public static var memberKind: MemberKind<Self> {
        .text(
            .word(allCases.map(\.rawValue)), "another word is expected", parse: { Self(rawValue: $0) }, text: \.rawValue
        )
    }
}

extension String: MemberValue {
    /// A string of any length.
    public static let memberKind = MemberKind<String>(.string(format: "text")) { (json, place) throws(JSONError) in
        try json.string(at: place)
    } write: { (text, _) in
        .string(text)
    }
}

extension Bool: MemberValue {
    /// A boolean.
    public static let memberKind = MemberKind<Bool>(.boolean) { (json, place) throws(JSONError) in
        try json.bool(at: place)
    } write: { (flag, _) in
        .bool(flag)
    }
}

extension UUID: MemberValue {
    /// A string of 36 lower-case characters.
    public static let memberKind = MemberKind<UUID>(.string(format: "uuid")) { (json, place) throws(JSONError) in
        try json.uuid(at: place)
    } write: { (id, _) in
        .uuid(id)
    }
}

extension Timestamp: MemberValue {
    /// A string `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public static let memberKind = MemberKind<Timestamp>(.string(format: "date-time")) {
        (json, place) throws(JSONError) in
        try json.timestamp(at: place)
    } write: { (time, _) in
        .timestamp(time)
    }
}

extension MemberKind where Value: BinaryInteger & SendableMetatype {
    /// An integer within a range, which is part of ``JSONValue/integerRange``.
    @inlinable public static func integer(_ range: ClosedRange<Int>) -> MemberKind {
        let range = Int64(range.lowerBound)...Int64(range.upperBound)
        return MemberKind(.integer(range)) { (json, place) throws(JSONError) in
            Value(try json.integer(in: range, at: place))
        } write: { (number, place) throws(JSONError) in
            guard let number = Int64(exactly: number), range.contains(number) else {
                throw place.invalid("an integer from \(range.lowerBound) to \(range.upperBound) is expected")
            }
            return .integer(number)
        }
    }

    /// An integer that is read within a range, and written whatever it is.
    @inlinable public static func number(
        _ range: ClosedRange<Int64> = JSONValue.integerRange, _ reason: String? = nil
    ) -> MemberKind {
        MemberKind(.integer(range)) { (json, place) throws(JSONError) in
            let number = try json.integer(in: reason == nil ? range : JSONValue.integerRange, at: place)
            if let reason, !range.contains(number) { throw place.invalid(reason) }
            return Value(number)
        } write: { (number, _) in
            .integer(Int64(number))
        }
    }
}

extension MemberKind where Value == [UInt8] {
    /// Any number of bytes.
    public static var anyBytes: MemberKind { .bytes(0...Int.max) }

    /// A number of bytes within a range, as a string in unpadded base64url.
    @inlinable public static func bytes(_ count: ClosedRange<Int>) -> MemberKind {
        MemberKind(.bytes(count)) { (json, place) throws(JSONError) in
            let bytes = try json.bytes(at: place)
            guard count.contains(bytes.count) else { throw place.invalid("another number of bytes is expected") }
            return bytes
        } write: { (bytes, place) throws(JSONError) in
            guard count.contains(bytes.count) else { throw place.invalid("another number of bytes is expected") }
            return .bytes(bytes)
        }
    }
}

extension MemberKind {
    /// An array of values of one kind.
    ///
    /// - Parameter count: The permitted numbers of elements in a schema version; the description has those of the latest.
    @inlinable public static func array<Element>(
        of kind: MemberKind<Element>, _ count: @escaping @Sendable (_ schema: Int) -> ClosedRange<Int>, latest: Int = 1
    ) -> MemberKind<[Element]> where Value == [Element] {
        MemberKind(.array(kind.description, count: count(latest))) { (json, place) throws(JSONError) in
            let values = try json.array(at: place, kind.read)
            guard count(place.schema).contains(values.count) else {
                throw place.invalid("another number of elements is expected")
            }
            return values
        } write: { (values, place) throws(JSONError) in
            guard count(place.schema).contains(values.count) else {
                throw place.invalid("another number of elements is expected")
            }
            var elements: [JSONValue] = []
            elements.reserveCapacity(values.count)
            let pointer = place.pointer
            for (index, value) in values.enumerated() {
                elements.append(try kind.write(value, MemberPlace(of: index, in: pointer, schema: place.schema)))
            }
            return .array(elements)
        }
    }

    /// An array of any length.
    @inlinable public static func list<Element: MemberValue>() -> MemberKind where Value == [Element] {
        .array(of: Element.memberKind, { _ in 0...Int.max })
    }
}

extension MemberKind where Value == [String: String] {
    /// An object whose members are strings, whatever their names.
    public static var texts: MemberKind {
        MemberKind(.object(name: "texts")) { (json, place) throws(JSONError) in
            guard case .object(let members) = json else { throw place.mismatch("an object") }
            var texts: [String: String] = [:]
            for (name, value) in members {
                texts[name] = try value.string(at: MemberPlace(of: name, in: place.pointer))
            }
            return texts
        } write: { (texts, _) in
            .object(texts.mapValues(JSONValue.string))
        }
    }
}
