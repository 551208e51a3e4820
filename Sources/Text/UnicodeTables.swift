/// The properties that the rules use, read once from the generated table.
struct UnicodeTables: Sendable {
    /// Unicode 15.0.
    static let version15 = UnicodeTables(EmbeddedTables.digits(of: "unicode-15"))

    /// Code points with a general category other than Cn and Cs, including private use.
    let assigned: ScalarSet
    let whiteSpace: ScalarSet
    /// Full canonical decompositions, except Hangul.
    let decomposition: ScalarMap
    /// NFKC_Casefold in form D, for characters that are their own form D.
    let folding: ScalarMap
    /// Primary composites by first << 32 | second, except Hangul.
    let compositions: [UInt64: UInt32]
    /// Whether the table ends where its counts say.
    let isComplete: Bool
    private let classRanges: ScalarSet
    private let classes: [UInt8]

    init(_ encoded: String) {
        var reader = TableReader(encoded)
        assigned = reader.ranges()
        whiteSpace = reader.ranges()
        var classes: [UInt8] = []
        classRanges = reader.ranges { classes.append(UInt8(truncatingIfNeeded: $0.number())) }
        self.classes = classes
        var steps: [(UInt32, [UInt32])] = []
        var compositions: [UInt64: UInt32] = [:]
        reader.points { reader, point in
            let kind = reader.number()
            let first = reader.number()
            guard kind != 0 else { return steps.append((point, [first])) }
            let second = reader.number()
            steps.append((point, [first, second]))
            if kind == 1 { compositions[UInt64(first) << 32 | UInt64(second)] = point }
        }
        self.compositions = compositions
        decomposition = ScalarMap(steps).expanded()
        var foldings: [(UInt32, [UInt32])] = []
        reader.points { reader, point in
            let count = reader.number()
            foldings.append((point, (0..<count).map { _ in reader.number(relativeTo: point) }))
        }
        folding = ScalarMap(foldings)
        isComplete = reader.isAtEnd
    }

    /// Canonical_Combining_Class.
    func combiningClass(_ scalar: UInt32) -> UInt8 {
        // No character before the combining diacritical marks has a combining class.
        guard scalar >= 0x300, let range = classRanges.index(of: scalar) else { return 0 }
        return classes[range]
    }
}

/// Reads the numbers of the generated table; `scripts/unicode/generate.py` describes the encoding.
struct TableReader {
    private let digits: [UInt8]
    private var position = 0

    init(_ encoded: String) {
        digits = encoded.utf8.filter { $0 >= 0x30 }.map { $0 - 0x30 }
    }

    var isAtEnd: Bool { position == digits.count }

    /// Returns the next number, or 0 after the end.
    mutating func number() -> UInt32 {
        var number: UInt32 = 0
        var shift: UInt32 = 0
        while position < digits.count {
            let digit = digits[position]
            position += 1
            number |= UInt32(digit & 31) << shift
            shift += 5
            if digit & 32 == 0 { break }
        }
        return number
    }

    mutating func number(relativeTo point: UInt32) -> UInt32 {
        let number = number()
        return number & 1 == 0 ? point &+ number / 2 : point &- (number / 2 + 1)
    }

    /// Reads a list of ranges, calling `further` after each.
    mutating func ranges(_ further: (inout TableReader) -> Void = { _ in }) -> ScalarSet {
        var ranges: [ClosedRange<UInt32>] = []
        var end: UInt32 = 0
        for _ in 0..<number() {
            let first = end + number()
            let last = first + number()
            ranges.append(first...last)
            end = last + 1
            further(&self)
        }
        return ScalarSet(ranges)
    }

    /// Reads a list of code points, calling `read` after each.
    mutating func points(_ read: (inout TableReader, UInt32) -> Void) {
        var end: UInt32 = 0
        for _ in 0..<number() {
            let point = end + number()
            end = point + 1
            read(&self, point)
        }
    }
}

/// A mapping of code points to strings of code points. Those without an entry map to themselves.
struct ScalarMap: Sendable {
    private let keys: [UInt32]
    /// The start of each key's image in `images`, and the end of the last.
    private let starts: [Int]
    private let images: [UInt32]

    /// A mapping of entries in the order of their keys.
    init(_ entries: [(key: UInt32, image: [UInt32])]) {
        keys = entries.map(\.key)
        images = entries.flatMap(\.image)
        var starts = [0]
        for entry in entries { starts.append((starts.last ?? 0) + entry.image.count) }
        self.starts = starts
    }

    func map(_ scalars: [UInt32]) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(scalars.count)
        for scalar in scalars { append(scalar, to: &result) }
        return result
    }

    func append(_ scalar: UInt32, to result: inout [UInt32]) {
        if let image = image(scalar) { result.append(contentsOf: image) } else { result.append(scalar) }
    }

    /// Applies the mapping to its own images until nothing changes.
    func expanded() -> ScalarMap {
        func expand(_ scalar: UInt32) -> [UInt32] {
            guard let image = image(scalar) else { return [scalar] }
            return image.flatMap(expand)
        }
        return ScalarMap(keys.map { ($0, expand($0)) })
    }

    private func image(_ scalar: UInt32) -> ArraySlice<UInt32>? {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < scalar { low = middle + 1 } else { high = middle }
        }
        guard low < keys.count, keys[low] == scalar else { return nil }
        return images[starts[low]..<starts[low + 1]]
    }
}

/// A set of code points as sorted ranges.
struct ScalarSet: Sendable {
    private let first: [UInt32]
    private let last: [UInt32]

    /// A set of ranges, which must be sorted and disjoint.
    init(_ ranges: [ClosedRange<UInt32>]) {
        first = ranges.map(\.lowerBound)
        last = ranges.map(\.upperBound)
    }

    func contains(_ scalar: UInt32) -> Bool { index(of: scalar) != nil }

    /// Returns the index of the range that contains the code point.
    func index(of scalar: UInt32) -> Int? {
        var low = 0
        var high = first.count
        while low < high {
            let middle = (low + high) / 2
            if first[middle] <= scalar { low = middle + 1 } else { high = middle }
        }
        guard low > 0, scalar <= last[low - 1] else { return nil }
        return low - 1
    }
}
