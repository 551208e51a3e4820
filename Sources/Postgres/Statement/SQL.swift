/// A statement and its bound values, written as a string literal.
///
/// ```swift
/// let sql: SQL = "SELECT name FROM person WHERE id = \(id) AND active = \(true)"
/// ```
/// An interpolated value is never text of the statement: it becomes `$1`, `$2`, … and travels apart, in binary form with
/// its type. `\(unsafeSQL: "…")` is the only door for raw text, `\(identifier: name)` quotes a name, and another `SQL`
/// can be interpolated with its own values.
public struct SQL: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The literal parts: one more than there are parameters.
    private(set) var literals: [String]
    /// The bound values.
    private(set) var parameters = Parameters()

    /// A statement without values.
    public init(stringLiteral value: String) { literals = [value] }

    /// A statement with its values.
    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    /// The text with `$n` for each value. The values are not shown.
    public var description: String { text }

    /// The text as the server sees it.
    var text: String {
        var text = literals[0]
        for (index, literal) in literals.dropFirst().enumerated() {
            // `limit\(x)` must not become the name `limit$1`, nor `\(x)0` the parameter `$10`.
            if text.utf8.last.map(Self.isWord) ?? false { text += " " }
            text += "$\(index + 1)"
            if literal.utf8.first.map(Self.isWord) ?? false { text += " " }
            text += literal
        }
        return text
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    /// Text in which a NUL byte, where C would stop reading, is refused.
    func checkedText() throws(PostgresError) -> String {
        let text = text
        guard !text.utf8.contains(0) else { throw PostgresError(.usage, "the statement holds NUL") }
        return text
    }

    /// Collects the parts of an interpolated statement.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL(stringLiteral: "")

        /// Starts an empty statement.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds text of the program.
        public mutating func appendLiteral(_ literal: String) { sql.append(literal) }

        /// Binds a value.
        public mutating func appendInterpolation(_ value: some PostgresEncodable) {
            sql.parameters.append(value)
            sql.literals.append("")
        }

        /// Binds a value or NULL.
        public mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
            sql.parameters.append(value)
            sql.literals.append("")
        }

        /// Adds another statement's text and values.
        public mutating func appendInterpolation(_ fragment: SQL) {
            sql.append(fragment.literals[0])
            sql.literals += fragment.literals.dropFirst()
            sql.parameters.append(contentsOf: fragment.parameters)
        }

        /// Adds raw text: only for text that no stranger can influence.
        public mutating func appendInterpolation(unsafeSQL text: String) { sql.append(text) }

        /// Adds a name in double quotes, in which quotes are doubled.
        public mutating func appendInterpolation(identifier name: String) { sql.append(SQL.quoted(name)) }
    }

    private mutating func append(_ text: String) { literals[literals.count - 1] += text }

    /// A quoted identifier (PostgreSQL manual §4.1.1).
    static func quoted(_ name: String) -> String {
        var quoted = "\""
        for character in name.unicodeScalars {
            if character == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }
}
