import CLibPQ

/// A statement and its bound values, written as a string literal.
///
/// ```swift
/// let sql: SQL = "SELECT name FROM person WHERE id = \(id) AND active = \(true)"
/// ```
///
/// An interpolated value never becomes text of the statement. It becomes `$1`, `$2`, … and is sent separately, in
/// binary form with its type. `\(unsafeSQL: "…")` is the only way to insert raw text, and `\(identifier: name)` quotes
/// a name. Another `SQL` can be interpolated with its own values.
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
            // Spaces keep `limit\(x)` from becoming the name `limit$1`, and `\(x)0` from becoming the parameter `$10`.
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

    /// Returns the text, but refuses NUL, where C would stop reading.
    func checkedText() throws(PostgresError) -> String {
        let text = text
        guard !text.utf8.contains(0) else { throw PostgresError(.usage, "the statement contains NUL") }
        return text
    }

    /// Collects the parts of an interpolated statement.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL(stringLiteral: "")

        /// Starts an empty statement.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds literal text.
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

        /// Adds raw text. Use it only for text that no request can influence.
        public mutating func appendInterpolation(unsafeSQL text: String) { sql.append(text) }

        /// Adds a quoted name.
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

extension SQL {
    /// An expression that makes its transaction's commit wait for the disk.
    ///
    /// It overrides the defaults of the server, the database and the role. A default of `off` must not weaken what a
    /// caller was told is recorded. `remote_apply` waits for more and is kept.
    public static let waitingCommit: SQL = """
        set_config('synchronous_commit', CASE current_setting('synchronous_commit')
            WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
        """
}

/// Statements that are sent in one round trip. Adding one returns the handle of its rows among the answers.
///
/// ```swift
/// var statements = PipelinedStatements()
/// statements.add("SET LOCAL jit = off")
/// let names = statements.add("SELECT name FROM person")
/// let answers = try await connection.pipeline(statements.list)
/// for row in try names.rows(in: answers) { print(try row.decode(String.self)) }
/// ```
public struct PipelinedStatements: Sendable {
    /// The handle of one statement's rows.
    public struct Handle: Sendable {
        fileprivate let index: Int

        /// The rows of the statement.
        ///
        /// - Throws: ``PostgresError/Code/usage`` if the answers are those of other statements.
        public func rows(in answers: [[PostgresRow]]) throws(PostgresError) -> [PostgresRow] {
            guard answers.indices.contains(index) else {
                throw PostgresError(.usage, "the answers are those of other statements")
            }
            return answers[index]
        }
    }

    /// The statements in the order in which they were added.
    public private(set) var list: [SQL] = []

    /// No statements.
    public init() {}

    /// Adds a statement, and returns the handle of its rows.
    @discardableResult
    public mutating func add(_ statement: SQL) -> Handle {
        list.append(statement)
        return Handle(index: list.count - 1)
    }
}

/// The isolation of a transaction, and whether it may write.
public struct TransactionMode: Sendable, Hashable {
    let isolation: String
    let isReadOnly: Bool

    /// Each statement sees what was committed before it. The server's default.
    public static let readCommitted = TransactionMode(isolation: "READ COMMITTED", isReadOnly: false)
    /// Every statement sees one snapshot; a conflicting write fails with 40001.
    public static let repeatableRead = TransactionMode(isolation: "REPEATABLE READ", isReadOnly: false)
    /// Transactions behave as if they ran one after the other. Conflicts fail with 40001.
    public static let serializable = TransactionMode(isolation: "SERIALIZABLE", isReadOnly: false)
    /// ``readCommitted`` without writes.
    public static let readOnly = readCommitted.readOnly
    /// ``repeatableRead`` without writes: one consistent snapshot.
    public static let snapshot = repeatableRead.readOnly

    /// The same isolation without writes, which fail with 25006.
    public var readOnly: TransactionMode { TransactionMode(isolation: isolation, isReadOnly: true) }

    var beginStatement: String {
        "BEGIN ISOLATION LEVEL \(isolation) \(isReadOnly ? "READ ONLY" : "READ WRITE")"
    }
}

/// The bound values of a statement, encoded one after the other in one buffer.
struct Parameters: Sendable {
    private(set) var types: [PostgresType] = []
    /// The range of each value in `bytes`, or `nil` for NULL.
    private(set) var ranges: [Range<Int>?] = []
    private(set) var bytes: [UInt8] = []
    /// The error of the first value that could not be encoded. Interpolation cannot throw, so running the statement
    /// does.
    private(set) var failure: PostgresError?

    /// The limit of the protocol, which counts parameters in 16 bits.
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

    /// Throws the error that interpolation could not throw, or one for too many or too large parameters.
    func check() throws(PostgresError) {
        if let failure { throw failure }
        guard types.count <= Self.maximumCount else {
            throw PostgresError(.encoding, "a statement has more than 65535 parameters")
        }
        guard bytes.count < 1 << 30 else { throw PostgresError(.encoding, "the parameters exceed 1 GiB") }
    }

    /// Passes the arguments of the `PQsend…` functions to `body`: types, values, lengths, formats (1: binary).
    func withPointers<Result>(
        _ body: (
            UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let oids = types.map(\.rawValue)
        let lengths = ranges.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: ranges.count)
        // libpq takes a null pointer for NULL, so an empty value needs an address too. One spare byte provides it.
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
