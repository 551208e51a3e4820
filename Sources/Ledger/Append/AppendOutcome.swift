import Canonical
import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the database function says about one caller.
enum AppendOutcome {
    /// Recorded now or before, or refused.
    case final(Result<Appended, LedgerError>)
    /// To be encoded with this time and asked again.
    case encodeAgain(Timestamp)

    /// Reads one row; the number is the caller's, from 1.
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
            let appended = Appended(
                events: prepared.append.events, positions: positions, time: prepared.time,
                wasDuplicate: outcome == "duplicate")
            return (Int(caller), .final(.success(appended)))
        case ("time", _, let time?, _, _): return (Int(caller), .encodeAgain(Timestamp(time)))
        case ("reused", _, _, _, _):
            return (Int(caller), refused(LedgerError(.eventIdReused, "an event id is recorded with other content")))
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

/// The database function answered what this version of the program does not know.
struct UnexpectedOutcome: Error {}
