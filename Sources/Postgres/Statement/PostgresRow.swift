import CLibPQ

/// One row of a result. Its columns are decoded on demand.
///
/// A row keeps its whole result in memory.
public struct PostgresRow: Sendable {
    let result: QueryResult
    let index: Int

    /// How many columns the row has.
    public var columnCount: Int { result.columnCount }

    /// Decodes all columns in order.
    ///
    /// ```swift
    /// let (id, name) = try row.decode(UUID.self, String?.self)
    /// ```
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if the number of columns or a type differs, or if a value that is not
    ///   optional is NULL.
    public func decode<each Value: PostgresDecodable>(
        _ types: repeat (each Value).Type
    ) throws(PostgresError) -> (repeat each Value) {
        var count = 0
        for _ in repeat each types { count += 1 }
        guard count == columnCount else {
            throw PostgresError(.decoding, "the row has \(columnCount) columns, not \(count)")
        }
        var column = -1
        func next<One: PostgresDecodable>(_ type: One.Type) throws(PostgresError) -> One {
            column += 1
            return try decode(column: column, as: type)
        }
        return (repeat try next(each types))
    }

    /// Decodes the only column.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if there are more columns, the type differs, or a value that is not
    ///   optional is NULL.
    public func decode<Value: PostgresDecodable>(_ type: Value.Type) throws(PostgresError) -> Value {
        guard columnCount == 1 else {
            throw PostgresError(.decoding, "the row has \(columnCount) columns, not 1")
        }
        return try decode(column: 0, as: type)
    }

    /// Decodes the column with a name.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if no column or several have that name, the type differs, or a value
    ///   that is not optional is NULL.
    public func decode<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let matches = (0..<columnCount).filter { result.name(ofColumn: $0).utf8.elementsEqual(column.utf8) }
        guard let match = matches.first, matches.count == 1 else {
            throw PostgresError(.decoding, matches.isEmpty ? "no column of that name" : "several columns of that name")
        }
        return try decode(column: match, as: type)
    }

    /// Decodes a column by its index, from 0.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if there is no such column, the type differs, or a value that is not
    ///   optional is NULL.
    public func decode<Value: PostgresDecodable>(
        column: Int, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard (0..<columnCount).contains(column) else { throw PostgresError(.decoding, "no column \(column)") }
        let columnType = result.type(ofColumn: column)
        guard Value.canDecode(columnType) else {
            throw PostgresError(
                .decoding, "column \(column) is of type oid \(columnType.rawValue), which \(Value.self) does not accept"
            )
        }
        return try result.withField(row: index, column: column) { (bytes) throws(PostgresError) -> Value in
            guard let bytes else { return try Value.decodeNull() }
            return try Value.decode(bytes)
        }
    }
}

/// Owns one `PGresult` and frees it exactly once.
@safe
final class QueryResult: @unchecked Sendable {
    // Proof of @unchecked: a PGresult is read-only once made and may be read by any thread (libpq manual §34.20).
    private let pointer: OpaquePointer

    init(takingOwnershipOf pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }
    deinit { unsafe PQclear(pointer) }

    var status: ExecStatusType { unsafe PQresultStatus(pointer) }
    var rowCount: Int { Int(unsafe PQntuples(pointer)) }
    var columnCount: Int { Int(unsafe PQnfields(pointer)) }

    /// The number of rows affected, or 0 for statements that do not count any.
    var affectedRows: Int { unsafe PQcmdTuples(pointer).flatMap { unsafe Int(String(cString: $0)) } ?? 0 }
    /// The command tag, such as `COMMIT` or `INSERT 0 1`.
    var commandTag: String { unsafe PQcmdStatus(pointer).map { unsafe String(cString: $0) } ?? "" }

    func type(ofColumn column: Int) -> PostgresType {
        PostgresType(rawValue: unsafe PQftype(pointer, Int32(column)))
    }

    func name(ofColumn column: Int) -> String {
        unsafe PQfname(pointer, Int32(column)).map { unsafe String(cString: $0) } ?? ""
    }

    /// Passes one field to `body`, or `nil` for NULL. The bytes live as long as this object.
    func withField<R>(
        row: Int, column: Int, _ body: (Span<UInt8>?) throws(PostgresError) -> R
    ) throws(PostgresError) -> R {
        guard unsafe PQgetisnull(pointer, Int32(row), Int32(column)) == 0 else { return try body(nil) }
        let count = Int(unsafe PQgetlength(pointer, Int32(row), Int32(column)))
        let start = unsafe UnsafeRawPointer(PQgetvalue(pointer, Int32(row), Int32(column)))
        let bytes = unsafe UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self), count: unsafe start == nil ? 0 : count)
        return try body(unsafe Span(_unsafeElements: bytes))
    }

    var rows: [PostgresRow] { (0..<rowCount).map { PostgresRow(result: self, index: $0) } }

    /// A diagnostic field of a failure or a notice.
    func field(_ field: CLibPQDiagnosticField) -> String? { unsafe Self.field(field, of: pointer) }

    /// A diagnostic field of a result that is owned elsewhere, as a notice receiver sees it.
    static func field(_ field: CLibPQDiagnosticField, of pointer: OpaquePointer) -> String? {
        unsafe PQresultErrorField(pointer, Int32(field.rawValue)).map { unsafe String(cString: $0) }
    }

    /// The failure that a notice announces if it ends the session, or `nil` for a plain notice.
    static func fatal(_ notice: OpaquePointer) -> PostgresError? {
        let severity = unsafe field(CLIBPQ_DIAG_SEVERITY, of: notice).map(PostgresError.Severity.init(rawValue:))
        guard severity == .fatal || severity == .panic else { return nil }
        var error = PostgresError(
            .connection, "the server ended the session",
            serverMessage: unsafe field(CLIBPQ_DIAG_MESSAGE, of: notice))
        error.severity = severity
        error.sqlState = unsafe field(CLIBPQ_DIAG_SQLSTATE, of: notice).map(SQLState.init(rawValue:))
        return error
    }

    /// The failure this result reports.
    func failure() -> PostgresError {
        var error = PostgresError(.server, "the server refused the statement", serverMessage: serverMessage)
        error.primaryMessage = field(CLIBPQ_DIAG_MESSAGE)
        error.sqlState = field(CLIBPQ_DIAG_SQLSTATE).map(SQLState.init(rawValue:))
        error.severity = field(CLIBPQ_DIAG_SEVERITY).map(PostgresError.Severity.init(rawValue:))
        error.constraint = field(CLIBPQ_DIAG_CONSTRAINT)
        error.table = field(CLIBPQ_DIAG_TABLE)
        switch error.sqlState {
        case .queryCanceled?:
            error.code = .timeout
            error.reason = "the statement was stopped by its timeout or an operator"
        case .lockNotAvailable?:
            error.code = .timeout
            error.reason = "a lock was not released in time"
        default: break
        }
        return error
    }

    private var serverMessage: String {
        let fields = [CLIBPQ_DIAG_MESSAGE, CLIBPQ_DIAG_DETAIL, CLIBPQ_DIAG_CONTEXT].compactMap(field)
        guard fields.isEmpty else { return fields.joined(separator: "; ") }
        // Failures reported by libpq itself have no fields.
        return unsafe PQresultErrorMessage(pointer).map { unsafe String(cString: $0) } ?? ""
    }
}
