/// The properties of code points in U-labels, read once from the generated table.
struct IDNATables: Sendable {
    /// Unicode 15.0.
    static let version15 = IDNATables(EmbeddedTables.digits(of: "idna-15"))

    /// The property Joining_Type, as far as a contextual rule reads it.
    enum Joining: UInt8 {
        case left = 1
        case right, transparent, dual
    }

    /// The property Bidi_Class, as far as code points of U-labels have it.
    enum Bidi: UInt8 {
        case left = 0
        case right, arabicLetter, arabicNumber, europeanNumber, europeanSeparator, commonSeparator, europeanTerminator
        case otherNeutral, boundaryNeutral, nonspacingMark
    }

    /// The property Script, as far as a contextual rule reads it.
    enum Script: UInt8 {
        case greek = 1
        case hebrew, japanese
    }

    /// Code points whose derived property is PVALID.
    let valid: ScalarSet
    /// Those of them that no label begins with: combining marks.
    let marks: ScalarSet
    /// Whether the table ends where its counts say.
    let isComplete: Bool
    private let joiningTypes: ScalarClasses
    private let bidiClasses: ScalarClasses
    private let scripts: ScalarClasses

    init(_ encoded: String) {
        var reader = TableReader(encoded)
        valid = reader.ranges()
        marks = reader.ranges()
        joiningTypes = ScalarClasses(&reader)
        bidiClasses = ScalarClasses(&reader)
        scripts = ScalarClasses(&reader)
        isComplete = reader.isAtEnd
    }

    func joining(_ scalar: UInt32) -> Joining? { Joining(rawValue: joiningTypes[scalar]) }
    func bidi(_ scalar: UInt32) -> Bidi { Bidi(rawValue: bidiClasses[scalar]) ?? .left }
    func script(_ scalar: UInt32) -> Script? { Script(rawValue: scripts[scalar]) }
}

/// One small number for each code point; 0 for those without an entry.
struct ScalarClasses: Sendable {
    private let ranges: ScalarSet
    private let values: [UInt8]

    init(_ reader: inout TableReader) {
        var values: [UInt8] = []
        ranges = reader.ranges { values.append(UInt8(truncatingIfNeeded: $0.number())) }
        self.values = values
    }

    subscript(_ scalar: UInt32) -> UInt8 { ranges.index(of: scalar).map { values[$0] } ?? 0 }
}
