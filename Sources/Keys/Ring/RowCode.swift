import Canonical
import Crypto
package import FoundationEssentials

/// A table whose rows carry a code, and the columns that the code covers.
///
/// ```swift
/// let table = CodedTable("session_cutoff", key: ["ledger_id", "subject"], covered: ["tenant_version"])
/// let code = ring.rowCode(table, [.uuid(ledger), .uuid(subject), .integer(7)])
/// ```
package struct CodedTable: Sendable, Hashable {
    /// The table's name, without its schema. Permanent: the code covers it.
    package let name: String
    /// The columns of the primary key.
    package let key: [String]
    /// The other columns that the code covers.
    package let covered: [String]

    package init(_ name: String, key: [String], covered: [String]) {
        self.name = name
        self.key = key
        self.covered = covered
    }
}

/// The value of a column, as the code of a row covers it.
package struct RowValue: Sendable, Equatable {
    /// A letter for the type and the bytes; empty for NULL.
    let bytes: [UInt8]

    private init(_ type: Character, _ value: [UInt8]?) {
        bytes = value.map { Array(String(type).utf8) + $0 } ?? []
    }

    /// NULL, of any type.
    package static let null = RowValue("n", nil)
    /// An id.
    package static func uuid(_ value: UUID?) -> RowValue { RowValue("u", value?.bytes) }
    package static func bytes(_ value: [UInt8]?) -> RowValue { RowValue("b", value) }
    /// A text, in UTF-8.
    package static func text(_ value: String?) -> RowValue { RowValue("t", value.map { Array($0.utf8) }) }
    package static func integer(_ value: Int64?) -> RowValue { RowValue("i", value.map(digits)) }
    /// A truth value.
    package static func flag(_ value: Bool) -> RowValue { RowValue("f", [value ? 1 : 0]) }
    /// A time, in microseconds since 1970.
    package static func time(_ microseconds: Int64?) -> RowValue { RowValue("m", microseconds.map(digits)) }

    /// Eight bytes, big endian.
    private static func digits(_ value: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }
}

/// The code that authenticates a row: four bytes that name the key, and a message authentication code of 32 bytes.
///
/// The message is the length-prefixed list of `tenure/v1/row`, the table's name, and the name and the value of each column
/// of the key and of each covered column, in their fixed order. So a row that is copied to another key or to another table has
/// no right code. An older version of the same row has one; docs/rows.md says for each table what that is worth.
enum RowCode {
    /// The length of a code in bytes.
    static let byteCount = 36

    static func message(_ table: CodedTable, _ values: [RowValue]) -> [UInt8] {
        let columns = table.key + table.covered
        precondition(columns.count == values.count, "a row of \(table.name) has \(columns.count) values")
        var message = LengthPrefixed(tag: "tenure/v1/row")
        message.append(table.name)
        for (column, value) in zip(columns, values) {
            message.append(column)
            message.append(value.bytes)
        }
        return message.bytes
    }

    /// The four bytes that name a rows key.
    static func keyID(_ key: SecretKey) -> [UInt8] {
        let name = LengthPrefixed(tag: "tenure/v1/row-key").bytes
        return Array(HMAC<SHA256>.authenticationCode(for: name, using: key.symmetric).prefix(4))
    }
}

extension KeyRing {
    /// Returns the 36 bytes that authenticate a row: the id of the key, and HMAC-SHA-256 under the rows key.
    ///
    /// - Parameter values: The values of the columns of the key, then of the covered columns, in the table's order.
    package func rowCode(_ table: CodedTable, _ values: [RowValue]) -> [UInt8] {
        rowKeyID + authenticationCode(RowCode.message(table, values), .rows)
    }

    /// Whether the code authenticates the row. The comparison takes constant time.
    package func isRowCode(_ code: [UInt8], _ table: CodedTable, _ values: [RowValue]) -> Bool {
        guard code.count == RowCode.byteCount, Array(code.prefix(rowKeyID.count)) == rowKeyID else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code.dropFirst(rowKeyID.count), authenticating: RowCode.message(table, values),
            using: secret(.rows).symmetric)
    }
}
