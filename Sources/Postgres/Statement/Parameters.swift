import CLibPQ

/// The bound values of a statement, encoded one after the other in one buffer.
struct Parameters: Sendable {
    private(set) var types: [PostgresType] = []
    /// Where each value lies in `bytes`; nil is NULL.
    private(set) var ranges: [Range<Int>?] = []
    private(set) var bytes: [UInt8] = []
    /// The first value that could not be encoded. Interpolation cannot throw, so the statement throws when it is run.
    private(set) var failure: PostgresError?

    /// The protocol counts parameters in 16 bits.
    static let maximumCount = 65_535

    mutating func append<Value: PostgresEncodable>(_ value: Value) {
        types.append(Value.postgresType)
        guard !value.isPostgresNull else { return ranges.append(nil) }
        let start = bytes.count
        do { try value.encode(into: &bytes) } catch { failure = failure ?? error }
        ranges.append(start..<bytes.count)
    }

    mutating func append(contentsOf other: Parameters) {
        let start = bytes.count
        types += other.types
        ranges += other.ranges.map { $0.map { $0.lowerBound + start..<$0.upperBound + start } }
        bytes += other.bytes
        failure = failure ?? other.failure
    }

    /// Throws what interpolation could not.
    func check() throws(PostgresError) {
        if let failure { throw failure }
        guard types.count <= Self.maximumCount else { throw PostgresError(.encoding, "more than 65535 parameters") }
        guard bytes.count < 1 << 30 else { throw PostgresError(.encoding, "parameters of more than 1 GiB") }
    }

    /// Lends what the `PQsend…` functions take: types, values, lengths, formats (1: binary).
    func withPointers<Result>(
        _ body: (
            UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let oids = types.map(\.rawValue)
        let lengths = ranges.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: ranges.count)
        // A value of no bytes still needs an address: to libpq a null pointer is NULL. One spare byte gives it one.
        let buffer = bytes + [0]
        return unsafe buffer.withUnsafeBytes { raw in
            let values = unsafe ranges.map { range in
                unsafe range.flatMap { unsafe raw.baseAddress?.advanced(by: $0.lowerBound) }
                    .map { unsafe $0.assumingMemoryBound(to: CChar.self) }
            }
            return unsafe values.withUnsafeBufferPointer { unsafe body(oids, $0.baseAddress, lengths, formats) }
        }
    }
}
