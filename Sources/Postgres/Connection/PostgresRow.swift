/// One row of a result, decoded when asked.
///
/// A row keeps the whole result it belongs to in memory.
public struct PostgresRow: Sendable {
    let result: QueryResult
    let index: Int

    /// How many columns the row has.
    public var columnCount: Int { result.columnCount }

    /// Decodes all columns, from the first to the last.
    ///
    /// ```swift
    /// let (id, name) = try row.decode(UUID.self, String?.self)
    /// ```
    /// Throws `.decoding` when the number of columns or the type of one is not as asked, or for NULL without optional.
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

    /// Decodes the only column. Throws `.decoding` when there are more or the type is not as asked.
    public func decode<Value: PostgresDecodable>(_ type: Value.Type) throws(PostgresError) -> Value {
        guard columnCount == 1 else {
            throw PostgresError(.decoding, "the row has \(columnCount) columns, not 1")
        }
        return try decode(column: 0, as: type)
    }

    /// Decodes the column of a name. Throws `.decoding` when there is none or more than one of that name.
    public func decode<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let matches = (0..<columnCount).filter { result.name(ofColumn: $0).utf8.elementsEqual(column.utf8) }
        guard let match = matches.first, matches.count == 1 else {
            throw PostgresError(.decoding, matches.isEmpty ? "no column of that name" : "several columns of that name")
        }
        return try decode(column: match, as: type)
    }

    /// Decodes one column by its place, from 0.
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
