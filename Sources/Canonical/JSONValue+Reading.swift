#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The value as one type, or the error with its place.
extension JSONValue {
    /// The text of a string.
    public func string(at place: MemberPlace) throws(JSONError) -> String {
        guard case .string(let text) = self else { throw place.mismatch("a string") }
        return text
    }

    /// The truth of a boolean.
    public func bool(at place: MemberPlace) throws(JSONError) -> Bool {
        guard case .bool(let flag) = self else { throw place.mismatch("a boolean") }
        return flag
    }

    /// The number of an integer within a range.
    public func integer(
        in range: ClosedRange<Int64> = JSONValue.integerRange, at place: MemberPlace
    ) throws(JSONError) -> Int64 {
        guard case .integer(let number) = self else { throw place.mismatch("an integer") }
        guard range.contains(number) else {
            throw place.invalid("an integer from \(range.lowerBound) to \(range.upperBound) is expected")
        }
        return number
    }

    /// The bytes of a string in unpadded base64url.
    public func bytes(at place: MemberPlace) throws(JSONError) -> [UInt8] {
        guard let bytes = Base64URL.decode(try string(at: place)) else {
            throw place.invalid("unpadded base64url is expected")
        }
        return bytes
    }

    /// The identifier of a string of 36 lower-case characters.
    public func uuid(at place: MemberPlace) throws(JSONError) -> UUID {
        guard let id = UUID(lowercased: try string(at: place)) else {
            throw place.invalid("a lower-case UUID is expected")
        }
        return id
    }

    /// The instant of a string `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public func timestamp(at place: MemberPlace) throws(JSONError) -> Timestamp {
        guard let time = Timestamp(try string(at: place)) else {
            throw place.invalid("YYYY-MM-DDThh:mm:ss.ffffffZ is expected")
        }
        return time
    }

    /// The elements of an array, each read at its place.
    public func array<Element>(
        at place: MemberPlace, _ read: (JSONValue, MemberPlace) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        guard case .array(let elements) = self else { throw place.mismatch("an array") }
        let pointer = place.pointer
        var values: [Element] = []
        values.reserveCapacity(elements.count)
        for index in elements.indices {
            values.append(
                try read(elements[index], MemberPlace(of: index, in: pointer, schema: place.schema)))
        }
        return values
    }

    /// The texts of an array of strings.
    public func strings(at place: MemberPlace) throws(JSONError) -> [String] {
        try array(at: place) { (element, place) throws(JSONError) in try element.string(at: place) }
    }
}
