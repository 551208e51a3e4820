import Canonical
import FoundationEssentials
import Postgres

/// The appends of a batch as the array parameters of the database function `tenure.append`. Callers are numbered from
/// 1.
struct AppendBatch {
    private var times: [PostgresTimestamp] = [], limits: [PostgresTimestamp?] = [], tolerances: [Int32?] = []
    private var followers: [Int32] = []
    private var events = Events()
    private var expectations = Expectations()
    private var claims = Claims()
    private var releases = Releases()

    private struct Events {
        var callers: [Int32] = [], ledgers: [UUID] = [], kinds: [String] = [], streams: [UUID] = []
        var versions: [Int32] = [], ids: [UUID] = [], types: [String] = [], times: [PostgresTimestamp] = []
        var entries: [[UInt8]] = [], codes: [[UInt8]] = []
    }

    private struct Expectations {
        var callers: [Int32] = [], ledgers: [UUID] = [], kinds: [String] = [], streams: [UUID] = []
        var versions: [Int32] = []
    }

    private struct Claims {
        var callers: [Int32] = [], ledgers: [UUID] = [], kinds: [String] = [], keys: [[UInt8]] = [], owners: [UUID] = []
        var values: [[UInt8]?] = [], expiries: [PostgresTimestamp?] = []
    }

    private struct Releases {
        var callers: [Int32] = [], ledgers: [UUID] = [], kinds: [String] = [], keys: [[UInt8]] = []
        var owners: [UUID?] = []
    }

    init(_ appends: some Sequence<PreparedAppend>) { for append in appends { add(append) } }

    private mutating func add(_ prepared: PreparedAppend) {
        times.append(PostgresTimestamp(prepared.time))
        limits.append(prepared.append.notAfter.map(PostgresTimestamp.init))
        tolerances.append(prepared.tolerance)
        let caller = Int32(times.count)
        if prepared.append.mayFollowHead { followers.append(caller) }
        for (index, event) in prepared.append.events.enumerated() {
            events.callers.append(caller)
            events.ledgers.append(event.stream.ledger.uuid)
            events.kinds.append(event.stream.kind)
            events.streams.append(event.stream.id)
            events.versions.append(Int32(prepared.versions[index]))
            events.ids.append(event.id)
            events.types.append(event.type)
            events.times.append(PostgresTimestamp(prepared.time(ofEvent: index)))
            events.entries.append(prepared.entries[index])
            events.codes.append(prepared.code(ofEvent: index))
        }
        for (stream, version) in prepared.expectations {
            expectations.callers.append(caller)
            expectations.ledgers.append(stream.ledger.uuid)
            expectations.kinds.append(stream.kind)
            expectations.streams.append(stream.id)
            expectations.versions.append(Int32(version))
        }
        for claim in prepared.append.claims {
            claims.callers.append(caller)
            claims.ledgers.append(claim.key.ledger.uuid)
            claims.kinds.append(claim.key.kind)
            claims.keys.append(claim.key.digest)
            claims.owners.append(claim.owner)
            claims.values.append(claim.value)
            claims.expiries.append(claim.expiresAt.map(PostgresTimestamp.init))
        }
        for release in prepared.append.releases {
            releases.callers.append(caller)
            releases.ledgers.append(release.key.ledger.uuid)
            releases.kinds.append(release.key.kind)
            releases.keys.append(release.key.digest)
            releases.owners.append(release.owner)
        }
    }

    /// The call of `tenure.append`.
    var sql: SQL {
        """
        SELECT caller, outcome, ledger_id, kind, stream_id, version, "time", positions FROM tenure.append(\(times),
        \(limits), \(tolerances), \(followers),
        \(events.callers), \(events.ledgers), \(events.kinds), \(events.streams), \(events.versions), \(events.ids),
        \(events.types), \(events.times), \(events.entries), \(events.codes),
        \(expectations.callers), \(expectations.ledgers), \(expectations.kinds), \(expectations.streams),
        \(expectations.versions),
        \(claims.callers), \(claims.ledgers), \(claims.kinds), \(claims.keys), \(claims.owners), \(claims.values),
        \(claims.expiries),
        \(releases.callers), \(releases.ledgers), \(releases.kinds), \(releases.keys), \(releases.owners))
        """
    }
}

extension PostgresTimestamp {
    init(_ time: Timestamp) { self.init(microsecondsSinceUnixEpoch: time.microseconds) }
}

extension Timestamp {
    init(_ time: PostgresTimestamp) { self.init(microseconds: time.microsecondsSinceUnixEpoch) }
}

/// The outcome of one caller's append, as the database function reports it.
enum AppendOutcome {
    /// The append is recorded, was recorded before, or is refused.
    case final(Result<AppendReceipt, LedgerError>)
    /// The append must be encoded with this time and sent again.
    case encodeAgain(Timestamp)
    /// The same for the events of one ledger only.
    case encodeLedgerAgain(LedgerID, Timestamp)
    /// The same, because the operator accepted the time of the ledger's head, if the row says so truly.
    case encodeAccepted(LedgerID, Timestamp)
    /// The append must be encoded with the time with which it is recorded already, and sent again.
    case encodeRecorded(Timestamp)

    /// Reads one row of the function's result. Returns the caller's number, from 1, and its outcome.
    static func read(
        _ row: PostgresRow, _ batch: [PreparedAppend]
    ) throws -> (caller: Int, outcome: AppendOutcome) {
        let (caller, outcome, ledger, kind, stream, version, time, positions) = try row.decode(
            Int32.self, String.self, UUID?.self, String?.self, UUID?.self, Int32?.self, PostgresTimestamp?.self,
            [Int64]?.self)
        guard batch.indices.contains(Int(caller) - 1) else { throw UnexpectedOutcome() }
        let prepared = batch[Int(caller) - 1]
        switch (outcome, positions, time, ledger, kind) {
        case ("appended", let positions?, _, _, _), ("duplicate", let positions?, _, _, _):
            let appended = AppendReceipt(
                events: prepared.append.events, positions: positions, time: prepared.time,
                wasDuplicate: outcome == "duplicate")
            return (Int(caller), .final(.success(appended)))
        case ("time", _, let time?, _, _): return (Int(caller), .encodeAgain(Timestamp(time)))
        case ("accepted", _, let time?, let ledger?, _):
            return (Int(caller), .encodeAccepted(LedgerID(ledger), Timestamp(time)))
        case ("recorded", _, let time?, let ledger?, _):
            return (Int(caller), .encodeLedgerAgain(LedgerID(ledger), Timestamp(time)))
        case ("recorded", _, let time?, nil, _): return (Int(caller), .encodeRecorded(Timestamp(time)))
        case ("clock", _, _, _, _):
            // Another caller's time may have raised this one.
            if prepared.time > prepared.append.time { return (Int(caller), .encodeAgain(prepared.append.time)) }
            return (Int(caller), refused(.clock))
        case ("late", _, _, _, _): return (Int(caller), refused(.late))
        case ("ahead", _, _, let ledger?, _):
            prepared.codes.disowned.reportFalseHead(of: LedgerID(ledger))
            return (Int(caller), refused(.ahead(LedgerID(ledger))))
        case ("reused", _, _, _, _):
            return (
                Int(caller), refused(LedgerError(.eventIdReused, "the event id is already recorded with other content"))
            )
        case ("version", _, _, let ledger?, let kind?):
            guard let stream, let version else { throw UnexpectedOutcome() }
            let id = StreamID(ledger: LedgerID(ledger), kind: kind, id: stream)
            let conflict = LedgerError.VersionConflict(
                stream: id, expected: prepared.append.expectations[id] ?? 0, actual: Int(version))
            return (Int(caller), refused(.versionConflict(conflict)))
        case ("taken", _, _, let ledger?, let kind?):
            return (Int(caller), refused(.claim(.claimTaken, kind: kind, ledger: LedgerID(ledger))))
        case ("missing", _, _, let ledger?, let kind?):
            return (Int(caller), refused(.claim(.claimMissing, kind: kind, ledger: LedgerID(ledger))))
        default: throw UnexpectedOutcome()
        }
    }

    private static func refused(_ error: LedgerError) -> AppendOutcome { .final(.failure(error)) }
}

/// The database function returned something that this version of the program does not know.
struct UnexpectedOutcome: Error {}
