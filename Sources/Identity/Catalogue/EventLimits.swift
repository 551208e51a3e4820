/// The sizes that members of varying length may have, in bytes; held when writing and when reading.
enum EventLimits {
    /// A challenge: a tag and a canonical JSON object of identifiers.
    static let challenge = 1...4_096
    /// A signed statement.
    static let statement = 1...4_096
    /// A record of credentials; version 1 has less than 4 KiB.
    static let record = 1...16_384
    /// A name in the clear.
    static let name = 1...256

    /// A number of attempts.
    static let count = 0...1_000_000

    static func check(_ count: Int, _ limit: ClosedRange<Int>, _ pointer: String) throws(EventError) {
        guard limit.contains(count) else { throw EventError(.invalidValue, pointer) }
    }

    static func check(_ bytes: [UInt8], _ limit: ClosedRange<Int>, _ pointer: String) throws(EventError) {
        guard limit.contains(bytes.count) else { throw EventError(.invalidValue, pointer) }
    }

    static func check(_ text: String, _ limit: ClosedRange<Int>, _ pointer: String) throws(EventError) {
        guard limit.contains(text.utf8.count), !text.utf8.contains(0) else { throw EventError(.invalidValue, pointer) }
    }
}
