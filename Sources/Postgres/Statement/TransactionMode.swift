/// How a transaction begins: isolation and whether it may write.
public struct TransactionMode: Sendable, Hashable {
    let isolation: String
    let isReadOnly: Bool

    /// Each statement sees what was committed before it; the server's default.
    public static let readCommitted = TransactionMode(isolation: "READ COMMITTED", isReadOnly: false)
    /// Every statement sees one snapshot; a conflicting write fails with 40001.
    public static let repeatableRead = TransactionMode(isolation: "REPEATABLE READ", isReadOnly: false)
    /// As if transactions ran one after the other; conflicts fail with 40001.
    public static let serializable = TransactionMode(isolation: "SERIALIZABLE", isReadOnly: false)
    /// ``readCommitted``, and writes are refused.
    public static let readOnly = readCommitted.readOnly
    /// ``repeatableRead``, and writes are refused: one consistent picture.
    public static let snapshot = repeatableRead.readOnly

    /// The same isolation, and writes are refused with 25006.
    public var readOnly: TransactionMode { TransactionMode(isolation: isolation, isReadOnly: true) }

    var beginStatement: String {
        "BEGIN ISOLATION LEVEL \(isolation) \(isReadOnly ? "READ ONLY" : "READ WRITE")"
    }
}
