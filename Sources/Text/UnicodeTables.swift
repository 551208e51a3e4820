/// The properties that the rules use, read once from the generated table.
struct UnicodeTables: Sendable {
    /// Unicode 15.0.
    static let version15 = UnicodeTables(UnicodeData15.encoded)

    /// Code points with a general category other than Cn and Cs, private use included.
    let assigned: ScalarSet
    let whiteSpace: ScalarSet
    /// Full canonical decompositions, Hangul apart.
    let decomposition: ScalarMap
    /// NFKC_Casefold in form D, for characters that are their own form D.
    let folding: ScalarMap
    /// Primary composites by first << 32 | second, Hangul apart.
    let compositions: [UInt64: UInt32]
    /// Whether the table ended where its counts say.
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
        // No character before the combining diacritical marks has a class.
        guard scalar >= 0x300, let range = classRanges.index(of: scalar) else { return 0 }
        return classes[range]
    }
}
