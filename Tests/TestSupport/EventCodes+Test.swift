import Crypto
public import Foundation
public import Ledger
public import Logging
public import Postgres

/// Tests without a service have one key for the codes of events. What is built without codes has these.
extension EventCodes {
    /// The codes of tests, with nothing disowned.
    public static var test: EventCodes { EventCodes(key: SymmetricKey(data: [UInt8](repeating: 7, count: 32))) }

    /// The code of the bytes of an entry: what a row that a test inserts by hand needs to be obeyed.
    public func code(of entry: [UInt8], id: UUID, in ledger: LedgerID) -> [UInt8] {
        code(ledger: ledger, id: id, leaf: MerkleTree.leafHash(entry))
    }
}

extension LedgerReader {
    /// A reader with the codes of tests.
    public init(pool: PostgresPool, storesTiles: Bool = true) {
        self.init(pool: pool, codes: .test, storesTiles: storesTiles)
    }
}

extension Appender {
    /// An appender with the codes of tests.
    public init(pool: PostgresPool, configuration: Configuration = Configuration(), logger: Logger) {
        self.init(pool: pool, codes: .test, configuration: configuration, logger: logger)
    }

    /// Appends with the codes of tests.
    public static func append(
        _ batch: [Append], tolerance: Duration? = clockTolerance, on connection: inout PostgresConnection
    ) async throws -> [Result<AppendReceipt, LedgerError>] {
        try await append(batch, codes: .test, tolerance: tolerance, on: &connection)
    }
}

extension AppendStatement {
    /// A statement with the codes of tests.
    public init(
        _ append: Append, after head: LockedHead, tolerance: Duration? = Appender.clockTolerance
    ) throws(LedgerError) {
        try self.init(append, after: head, codes: .test, tolerance: tolerance)
    }
}
