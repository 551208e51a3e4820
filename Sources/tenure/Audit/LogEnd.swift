import Canonical
import FoundationEssentials
import Identity
import Ledger
import Postgres
import Projections

/// Where the selected part of the log ends, to tell a person that a moment is past it.
///
/// A position that does not exist is an error, because the state there is not known yet. For a time in the future the
/// state of today is printed with a note, because later events may still change it.
struct LogEnd: Sendable, Equatable {
    /// The position of the last event; `nil` if several ledgers are selected.
    var position: Int64?
    /// The time of the last event; `nil` for an empty log.
    var time: Timestamp?

    /// Reads the end of the selected ledgers over connections of the reader role.
    static func read(_ selection: ReplaySelection, _ pool: PostgresPool) async throws -> LogEnd {
        let ids = selection.isOneCompany ? selection.ledgers.map(\.id.uuid) : nil
        let only: SQL = ids.map { "AND ledger_id = ANY (\($0))" } ?? ""
        let rows = try await pool.withConnection { connection in
            try await connection.query("SELECT max(\"time\") FROM tenure.ledger WHERE size > 0 \(only)")
        }
        let time = try rows.first?.decode(PostgresTimestamp?.self)
        return LogEnd(
            position: selection.isOneCompany ? selection.ledgers.first?.size : nil,
            time: time.map { Timestamp(microseconds: $0.microsecondsSinceUnixEpoch) })
    }

    /// Checks the moments of `--as-of` and `--diff`.
    ///
    /// - Returns: The note for a time in the future, or `nil`.
    /// - Throws: ``CommandFailure`` with exit code 6 for a position that the log does not have.
    func note(_ moments: [StateAt.Moment], now: Timestamp = .now()) throws -> String? {
        for case .position(let asked) in moments {
            guard let position, asked > position else { continue }
            throw CommandFailure(.notFound, "there is no position \(asked): \(words)")
        }
        let future = moments.compactMap { moment in
            if case .time(let time) = moment, time > now { time } else { nil }
        }
        guard let first = future.first else { return nil }
        return "Note: \(TimeText.short(first)) UTC is in the future; \(words), and later events may change the state."
    }

    private var words: String {
        guard let time else { return "the log is empty" }
        let place = position.map { ", position \($0)" } ?? ""
        return "the log ends at \(TimeText.short(time)) UTC\(place)"
    }
}
