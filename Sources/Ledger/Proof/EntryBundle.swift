/// Entries as a tiled log serves them (C2SP tlog-tiles): each behind its length as two bytes, big-endian.
public enum EntryBundle {
    /// The bytes of entries in order; an entry has at most 65,535 bytes.
    public static func encode(_ entries: some Sequence<[UInt8]>) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            bytes.append(UInt8(truncatingIfNeeded: entry.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: entry.count))
            bytes.append(contentsOf: entry)
        }
        return bytes
    }

    /// The entries of a bundle.
    ///
    /// - Throws: ``ProofError/Code/malformed`` unless the lengths end where the bytes do.
    public static func decode(_ bytes: [UInt8]) throws(ProofError) -> [[UInt8]] {
        var entries: [[UInt8]] = []
        var place = 0
        while place < bytes.count {
            guard bytes.count - place >= 2 else { throw ProofError(.malformed, "a bundle of entries is cut off") }
            let length = Int(bytes[place]) << 8 | Int(bytes[place + 1])
            place += 2
            guard bytes.count - place >= length else { throw ProofError(.malformed, "a bundle of entries is cut off") }
            entries.append(Array(bytes[place..<place + length]))
            place += length
        }
        return entries
    }
}
