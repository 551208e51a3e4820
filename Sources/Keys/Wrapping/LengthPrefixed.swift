/// A list of byte strings as one byte string that has one reading only.
///
/// Every part is preceded by its length as four bytes, big endian. So `("ab", "c")` and `("a", "bc")` differ, and no
/// part can pretend to be two. It is what a message authentication code or the associated data of a seal is taken over
/// wherever a page does not fix other bytes.
struct LengthPrefixed: Sendable {
    private(set) var bytes: [UInt8] = []

    /// Starts with a tag, the name of what the bytes are for, as the first part.
    init(tag: String) { append(tag) }

    mutating func append(_ part: some Collection<UInt8>) {
        append(UInt32(truncatingIfNeeded: part.count))
        bytes.append(contentsOf: part)
    }

    mutating func append(_ part: String) { append(Array(part.utf8)) }

    /// Appends a part of eight bytes, big endian.
    mutating func append(number: Int) {
        append((0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// The bare length, without one of its own.
    private mutating func append(_ length: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    }
}
