import Canonical
import Ledger

/// The use of a session in a browser. An admin's session ends an hour after the last one, by its row.
///
/// A page of the service is a use. What a client does in the background is none, so that no open tab keeps an admin
/// logged in. The row is written once in five minutes at most, and its code covers the time.
struct BrowserUse: Sendable {
    /// The time without use after which an admin's session in a browser has ended.
    static let idleLimit: Duration = .seconds(3_600)
    /// The longest lifetime of an admin's session in a browser.
    static let longestOfAdmin: Duration = .seconds(8 * 3_600)
    /// The time for which a use is not written again.
    static let step: Duration = .seconds(300)

    private let row: SessionRow
    private let time: Timestamp

    init(_ row: SessionRow, at time: Timestamp) {
        self.row = row
        self.time = time
    }

    /// Writes the use, unless the row has one of the last five minutes. A row that was changed meanwhile stays: whoever
    /// changed it noted a use, or ended the session.
    func note(_ context: ServiceContext) async throws {
        // A use after the present time was noted by a clock that was ahead.
        guard let used = row.usedAt, time < used || time >= used.adding(Self.step) else { return }
        var next = row
        next.usedAt = time
        _ = try await context.pool.query(next.replacing(row, context.ring), in: [LedgerID(row.tenant)])
    }
}
