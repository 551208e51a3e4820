import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
package import Ledger
package import Postgres

extension OperatorUseCases {
    /// The result of ``acceptTime(of:)``.
    package enum TimeAcceptance: Sendable, Hashable {
        /// The time was accepted; it is that of the latest event, at this position.
        case accepted(position: Int64, time: String)
        /// The ledger is not ahead of the clock.
        case notAhead
        case acceptedBefore
        /// The time is not that of the latest event that a service wrote: somebody changed the row beside the ledger.
        case falseHead
    }

    /// Accepts the time of a ledger whose latest event is ahead of the database's clock, so that the ledger takes events
    /// again. Until the clock has passed that time, they have exactly that time.
    ///
    /// The ledger is left as it is in other respects: `tenure verify` reports what is wrong with its events. Nothing is
    /// signed for a time that is not that of the latest event.
    ///
    /// - Parameter ledger: The ledger.
    /// - Throws: `company.unknown` for a ledger without events, and ``OperatorKeyError``.
    package func acceptTime(of ledger: LedgerID) async throws -> TimeAcceptance {
        try await optimistic {
            let known = try await StateLoader(reader: context.reader).ledgerTime(ledger)
            guard let head = try await AheadLedger.head(of: ledger, on: context.pool) else {
                throw ServiceError(.companyUnknown)
            }
            let latest = head.clock.adding(context.settings.clockTolerance ?? .zero)
            guard head.time > latest else { return .notAhead }
            guard try await time(of: ledger, at: head.size) == head.time else {
                context.reader.codes.disowned.reportFalseHead(of: ledger)
                return .falseHead
            }
            let events = try await signing.decide(on: .ledgerTime(ledger)) { decision in
                try LedgerTime.decided(
                    known.state,
                    LedgerTime.Accept(
                        ledger: ledger.uuid, position: head.size, time: head.time, latest: latest,
                        decision: decision))
            }
            guard !events.isEmpty else { return .acceptedBefore }
            // A system ledger that is ahead itself takes this event, or nothing could ever accept its time.
            try await append(
                events.map(\.payload), to: .ledgerTime(ledger), version: known.version,
                effects: [AheadLedger.accepting(head.time, of: ledger)], effectLedgers: [ledger],
                mayFollowHead: ledger == .system)
            return .accepted(position: head.size, time: head.time.description)
        }
    }

    /// The time of the latest event up to a position that a service wrote; `nil` without one, or behind a gap.
    private func time(of ledger: LedgerID, at position: Int64) async throws -> Timestamp? {
        var end = position
        while end > 0 {
            let start = max(0, end - 100)
            let page = try await context.reader.entries(
                of: ledger, after: start, through: end, limit: 100, without: [], leavingDisowned: true)
            guard page.entries.last?.position == end else { return nil }
            if let entry = page.entries.last(where: \.isOwn) { return try? entry.event().time }
            end = start
        }
        return nil
    }

    /// Finds the ledger with this name: a company's name or id, the id of another ledger, or `system`.
    ///
    /// - Throws: `request.invalid` for text that is no name.
    package func ledger(named name: String) throws -> LedgerID {
        if name == "system" { return .system }
        if let id = UUID(entered: name) { return LedgerID(id) }
        let company = try parsed { () throws(ValueError) in try CompanyName(name) }
        return LedgerID(context.ring.tenantID(companyName: company.canonical))
    }
}

/// A ledger whose latest event may be ahead of the clock.
struct AheadLedger: Sendable {
    /// The position of the latest event.
    let size: Int64
    /// The time of the latest event.
    let time: Timestamp
    /// The database's clock.
    let clock: Timestamp

    /// Reads the head of a ledger and the database's clock; `nil` for a ledger without events.
    static func head(of ledger: LedgerID, on pool: PostgresPool) async throws -> AheadLedger? {
        let rows = try await pool.query(
            "SELECT size, time, clock_timestamp() FROM tenure.ledger WHERE ledger_id = \(ledger.uuid) AND size > 0",
            in: [ledger])
        return try rows.first.map { row in
            let (size, time, clock) = try row.decode(Int64.self, PostgresTimestamp.self, PostgresTimestamp.self)
            return AheadLedger(size: size, time: Timestamp(time), clock: Timestamp(clock))
        }
    }

    /// The statement that accepts the time of a head, if that is still the head's.
    static func accepting(_ time: Timestamp, of ledger: LedgerID) -> SQL {
        """
        WITH accepted AS (
            UPDATE tenure.ledger SET accepted = \(time.postgres)
            WHERE ledger_id = \(ledger.uuid) AND time = \(time.postgres) RETURNING 1)
        SELECT tenure.require(count(*) = 1) FROM accepted
        """
    }
}

/// Reports ledgers that take no events, because their latest event is ahead of the database's clock and nobody accepted
/// its time.
package struct LedgersAhead: Sendable {
    /// How many ledgers are named as a rule.
    package static let named = 20
    /// The first such ledgers, by id.
    package let ledgers: [LedgerID]
    /// The number of such ledgers.
    package let count: Int
    /// What the heads of these ledgers say of the latest event. Whoever writes the database may have written it.
    package private(set) var latest: [LedgerID: (position: Int64, time: String)] = [:]

    package init(ledgers: [LedgerID], count: Int) {
        self.ledgers = ledgers
        self.count = count
    }

    /// Reads them over a pool of the reader role.
    ///
    /// - Parameter limit: The largest number of ledgers that are named.
    /// - Throws: The error of the database.
    package static func read(_ pool: PostgresPool, naming limit: Int = named) async throws -> LedgersAhead {
        let seconds = Appender.clockTolerance.components.seconds
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT l.ledger_id, count(*) OVER (), l.size, l.time FROM tenure.ledger AS l
                WHERE l.time > clock_timestamp() + \(seconds) * interval '1 second'
                    AND coalesce(l.accepted < l.time, true)
                ORDER BY l.ledger_id LIMIT \(Int64(limit))
                """)
        }
        var count: Int64 = 0
        var latest: [LedgerID: (position: Int64, time: String)] = [:]
        let ledgers = try rows.map { row in
            let (id, all, size, time) = try row.decode(UUID.self, Int64.self, Int64.self, PostgresTimestamp.self)
            count = all
            latest[LedgerID(id)] = (size, Timestamp(time).description)
            return LedgerID(id)
        }
        var found = LedgersAhead(ledgers: ledgers, count: Int(count))
        found.latest = latest
        return found
    }
}

extension LedgersAhead {
    /// What readiness says; empty if no ledger is ahead.
    var reasons: [String] {
        let ledgers = count == 1 ? "a ledger is" : "\(count) ledgers are"
        return count == 0 ? [] : ["\(ledgers) ahead of the database's clock and stopped; run tenure doctor"]
    }

    /// The gauge in the Prometheus text format.
    var metrics: String {
        """
        # HELP tenure_ledgers_ahead Ledgers that take no events, because they are ahead of the database's clock.
        # TYPE tenure_ledgers_ahead gauge
        tenure_ledgers_ahead \(count)

        """
    }
}

extension Timestamp {
    fileprivate init(_ time: PostgresTimestamp) { self.init(microseconds: time.microsecondsSinceUnixEpoch) }
}
