import CLibPQ

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

    /// Rows affected; 0 for statements that count none.
    var affectedRows: Int { unsafe PQcmdTuples(pointer).flatMap { unsafe Int(String(cString: $0)) } ?? 0 }
    /// The word of the command, such as `COMMIT` or `INSERT 0 1`.
    var commandTag: String { unsafe PQcmdStatus(pointer).map { unsafe String(cString: $0) } ?? "" }

    func type(ofColumn column: Int) -> PostgresType {
        PostgresType(rawValue: unsafe PQftype(pointer, Int32(column)))
    }

    func name(ofColumn column: Int) -> String {
        unsafe PQfname(pointer, Int32(column)).map { unsafe String(cString: $0) } ?? ""
    }

    /// Reads one field; `body` gets nil for NULL. The bytes live as long as this object.
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

    /// The same of a result that somebody else owns, as a notice receiver sees it.
    static func field(_ field: CLibPQDiagnosticField, of pointer: OpaquePointer) -> String? {
        unsafe PQresultErrorField(pointer, Int32(field.rawValue)).map { unsafe String(cString: $0) }
    }

    /// The end of the session that a notice announces; nil for a plain notice.
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
            error.reason = "a lock was not free in time"
        default: break
        }
        return error
    }

    private var serverMessage: String {
        let fields = [CLIBPQ_DIAG_MESSAGE, CLIBPQ_DIAG_DETAIL, CLIBPQ_DIAG_CONTEXT].compactMap(field)
        guard fields.isEmpty else { return fields.joined(separator: "; ") }
        // Failures libpq itself reports have no fields.
        return unsafe PQresultErrorMessage(pointer).map { unsafe String(cString: $0) } ?? ""
    }
}
