import Canonical
import FoundationEssentials
import IdentityService
import Ledger
import Postgres
import TestSupport
import Testing

/// What somebody who owns the database can do to it, and what `tenure verify` says.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct TamperingTests {
    static let ledger = SealedLog.ledger.uuid

    /// Expects the first finding to be of a kind, at a position of the ledger, whatever else follows from it.
    private func expect(
        _ kinds: Violation.Kind..., at position: Int64?, in log: SealedLog, anchor: Anchor? = nil,
        _ place: SourceLocation = #_sourceLocation
    ) async throws {
        let report = try await log.verify(anchor: anchor)
        let first = report.violations.first
        #expect(first.map { kinds.contains($0.kind) } == true, "\(report.violations)", sourceLocation: place)
        #expect(first?.position == position, "\(report.violations)", sourceLocation: place)
        #expect(report.violations.allSatisfy { $0.ledger == SealedLog.ledger }, sourceLocation: place)
    }

    @Test func `an untouched log verifies, even while it grows`() async throws {
        try await SealedLog.with { log in
            let report = try await log.verify(anchor: log.anchor)
            #expect(report.violations == [])
            #expect(report.ledgers == 3 && report.events == 602 && report.sealedEvents == 602)
            async let growing: Void = SealedLog.append(log.appender, from: 300, count: 60)
            for _ in 0..<5 {
                try await log.seal()
                #expect(try await log.verify(anchor: log.anchor).violations == [])
            }
            try await growing
            let later = try await log.verify(anchor: log.anchor)
            #expect(later.violations == [] && later.events >= 662)
        }
    }

    @Test(arguments: [1, 100, 256, 257, 300] as [Int64])
    func `verification reports one changed bit of an entry`(position: Int64) async throws {
        try await SealedLog.with { log in
            // A letter of the note: still canonical JSON, and every column still right. The leaf follows by itself.
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = set_byte(entry, p.place, get_byte(entry, p.place) # 1)
                FROM (SELECT position('as it was' IN convert_from(entry, 'UTF8')) AS place FROM tenure.event
                    WHERE ledger_id = \(Self.ledger) AND position = \(position)) AS p
                WHERE ledger_id = \(Self.ledger) AND position = \(position)
                """)
            // In a full tile the place is exact; behind the last one it is between two recorded roots.
            try await expect(.tile, .root, at: position <= 256 ? position : position <= 290 ? 1 : 291, in: log)
        }
    }

    /// Behind the last full tile nothing but the recorded roots tells: one for each event names the event, one for several
    /// names the range.
    @Test func `verification reports one changed bit after the last full tile`()
        async throws
    {
        try await SealedLog.with { log in
            for count in 300..<304 {
                try await SealedLog.append(log.appender, from: count, count: 1)
                try await log.seal()
            }
            try await SealedLog.append(log.appender, from: 304, count: 5)
            try await log.seal()
            for (position, range) in [(302, 302...302), (306, 305...309)] as [(Int64, ClosedRange<Int64>)] {
                try await flip(position, in: log)
                let first = try #require(try await log.verify(anchor: log.anchor).violations.first)
                #expect(first.kind == .root && first.ledger == SealedLog.ledger)
                #expect(first.position == range.lowerBound && first.lastPosition == range.upperBound, "\(first)")
                try await flip(position, in: log)
            }
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    /// Changes a letter of the note, or changes it back: still canonical JSON, and every column still right.
    private func flip(_ position: Int64, in log: SealedLog) async throws {
        try await log.tamper(
            """
            UPDATE tenure.event SET entry = set_byte(entry, p.place, get_byte(entry, p.place) # 1)
            FROM (SELECT position('"note":"' IN convert_from(entry, 'UTF8')) + 8 AS place FROM tenure.event
                WHERE ledger_id = \(Self.ledger) AND position = \(position)) AS p
            WHERE ledger_id = \(Self.ledger) AND position = \(position)
            """)
    }

    /// What is said of the anchor that somebody kept.
    @Test func `verification tells whether the anchor is equal, behind, ahead or foreign`() async throws {
        try await SealedLog.with { log in
            let kept = log.anchor.checkpoint.checkpoint
            let same = try #require(try await log.verify(anchor: log.anchor).anchor)
            #expect(same.outcome == .same && same.size == kept.size && same.root == kept.root)
            try await SealedLog.append(log.appender, from: 300, count: 1)
            try await log.seal()
            let ahead = try #require(try await log.verify(anchor: log.anchor).anchor)
            #expect(ahead.outcome == .ahead && ahead.logSize == kept.size + 1)
            let root = MerkleTree.root(leaves: [MerkleTree.leafHash([1])])
            let other = try Anchor(
                key: log.signer.key, checkpoint: try log.signer.sign(.system, size: kept.size, root: root))
            #expect(try await log.verify(anchor: other).anchor?.outcome == .different)
            let later = try Anchor(
                key: log.signer.key, checkpoint: try log.signer.sign(.system, size: kept.size + 9, root: root))
            #expect(try await log.verify(anchor: later).anchor?.outcome == .behind)
            #expect(try await log.verify().anchor == nil)
        }
    }

    @Test func `verification reports one changed bit in any column`() async throws {
        let changes: [(String, SQL)] = [
            ("event_id", "event_id = gen_random_uuid()"), ("stream_id", "stream_id = gen_random_uuid()"),
            ("kind", "kind = 'thinh'"), ("version", "version = version + 1000"), ("type", "type = 'ThingHappenee'"),
            ("time", #"time = time + interval '1 microsecond'"#),
            ("leaf", "leaf = set_byte(leaf, 9, get_byte(leaf, 9) # 1)"),
        ]
        try await SealedLog.with { log in
            try await log.tamper("ALTER TABLE tenure.event ALTER COLUMN leaf DROP EXPRESSION")
            try await log.tamper("CREATE TABLE public.kept AS SELECT * FROM tenure.event")
            for (column, change) in changes {
                try await log.tamper(
                    "UPDATE tenure.event SET \(change) WHERE ledger_id = \(Self.ledger) AND position = 100")
                let report = try await log.verify()
                let first = report.violations.first
                #expect(first?.kind == .column && first?.position == 100, "\(column): \(report.violations)")
                #expect(first?.detail.contains(column) == true)
                try await log.tamper(
                    "DELETE FROM tenure.event WHERE ledger_id = \(Self.ledger) AND position = 100",
                    "INSERT INTO tenure.event SELECT * FROM public.kept WHERE ledger_id = \(Self.ledger) AND position = 100"
                )
            }
            #expect(try await log.verify().violations == [])
        }
    }

    @Test func `verification reports changed heads and stream versions`() async throws {
        try await SealedLog.with { log in
            try await log.tamper(
                "UPDATE tenure.ledger SET time = time + interval '1 second' WHERE ledger_id = \(Self.ledger)")
            try await expect(.head, at: nil, in: log)
            try await log.tamper(
                "UPDATE tenure.ledger SET time = time - interval '1 second' WHERE ledger_id = \(Self.ledger)",
                """
                UPDATE tenure.event SET version = 999, entry = convert_to(replace(convert_from(entry, 'UTF8'),
                    '"streamVersion":100', '"streamVersion":999'), 'UTF8')
                WHERE ledger_id = \(Self.ledger) AND position = 300
                """)
            let report = try await log.verify()
            #expect(report.violations.contains { $0.kind == .stream && $0.position == 300 }, "\(report.violations)")
        }
    }

    @Test func `verification reports a changed tile or checkpoint`() async throws {
        try await SealedLog.with { log in
            let tile: SQL = "WHERE ledger_id = \(Self.ledger) AND level = 0 AND index = 0"
            let flip: SQL = "UPDATE tenure.tile SET hashes = set_byte(hashes, 3210, get_byte(hashes, 3210) # 1) \(tile)"
            try await log.tamper(flip)
            try await expect(.tile, at: 101, in: log)
            let root: SQL = "UPDATE tenure.tile SET root = set_byte(root, 0, get_byte(root, 0) # 128) \(tile)"
            try await log.tamper(flip, root)
            try await expect(.tile, at: 1, in: log)
            try await log.tamper(root)
            #expect(try await log.verify().violations == [])
            for column in ["size = size - 1", "root = set_byte(root, 7, get_byte(root, 7) # 4)"] as [SQL] {
                try await log.tamper(
                    "CREATE TABLE public.kept AS SELECT * FROM tenure.checkpoint",
                    "UPDATE tenure.checkpoint SET \(column) WHERE ledger_id = \(Self.ledger)")
                try await expect(.checkpoint, at: nil, in: log)
                try await log.tamper(
                    "DELETE FROM tenure.checkpoint", "INSERT INTO tenure.checkpoint SELECT * FROM public.kept",
                    "DROP TABLE public.kept")
            }
            try await log.tamper(
                """
                UPDATE tenure.checkpoint SET note = overlay(note PLACING
                    CASE substr(note, length(note) - 9, 1) WHEN 'x' THEN 'y' ELSE 'x' END FROM length(note) - 9)
                WHERE ledger_id = \(Self.ledger)
                """)
            try await expect(.checkpoint, at: nil, in: log)
            try await log.tamper("DELETE FROM tenure.checkpoint WHERE ledger_id = \(Self.ledger)")
            try await expect(.checkpoint, at: nil, in: log)
        }
    }

    @Test(arguments: [1, 150, 300] as [Int64])
    func `verification reports a removed first, middle or last entry`(position: Int64) async throws {
        try await SealedLog.with { log in
            try await log.tamper(
                "DELETE FROM tenure.event WHERE ledger_id = \(Self.ledger) AND position = \(position)")
            try await expect(.missing, at: position, in: log)
            // Closing the gap helps nobody.
            try await log.tamper(
                """
                WITH moved AS (DELETE FROM tenure.event WHERE ledger_id = \(Self.ledger) AND position > \(position)
                    RETURNING ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                INSERT INTO tenure.event (
                    ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                SELECT ledger_id, position - 1, event_id, stream_id, kind, version, type, time, entry, code FROM moved
                """, "UPDATE tenure.ledger SET size = 299 WHERE ledger_id = \(Self.ledger)")
            let report = try await log.verify()
            let first = try #require(report.violations.first)
            let place = position == 300 ? 300 : position
            #expect(try #require(first.position) <= place, "\(report.violations)")
            #expect(report.violations.contains { [.tile, .root, .missing].contains($0.kind) })
        }
    }

    @Test func `verification reports two swapped entries`() async throws {
        try await SealedLog.with { log in
            for (old, new) in [(40, 100_040), (41, 40), (100_040, 41)] as [(Int64, Int64)] {
                try await log.tamper(
                    "UPDATE tenure.event SET position = \(new) WHERE ledger_id = \(Self.ledger) AND position = \(old)")
            }
            try await expect(.tile, at: 40, in: log)
        }
    }

    /// Everything is consistent in itself afterwards; only what was sealed before says that it was otherwise.
    @Test func `verification reports a truncated and continued log`() async throws {
        try await SealedLog.with { log in
            try await cutTail(log, to: 270)
            try await expect(.missing, .checkpoint, at: 271, in: log)
            try await SealedLog.append(log.appender, from: 270, count: 60, note: "another past")
            try await expect(.root, at: 1, in: log)
            // A seal does not bless it: the sealer signs nothing that is not a continuation.
            try await log.seal()
            try await expect(.root, at: 1, in: log)
        }
    }

    private func cutTail(_ log: SealedLog, to size: Int64) async throws {
        try await log.tamper(
            "DELETE FROM tenure.event WHERE ledger_id = \(Self.ledger) AND position > \(size)",
            """
            UPDATE tenure.ledger SET size = \(size), time = (SELECT time FROM tenure.event
                WHERE ledger_id = \(Self.ledger) AND position = \(size)) WHERE ledger_id = \(Self.ledger)
            """)
    }

    /// The log made anew from the beginning: every hash, record and signature fits, by another key.
    @Test func `verification reports a log rewritten with another key`() async throws {
        try await SealedLog.with { log in
            let forger = try SealedLog.signer(8)
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = convert_to(replace(convert_from(entry, 'UTF8'), 'as it was',
                    'as we like'), 'UTF8') WHERE ledger_id = \(Self.ledger) AND position = 17
                """,
                "DELETE FROM tenure.tile", "DELETE FROM tenure.checkpoint",
                "DELETE FROM tenure.event WHERE ledger_id = \(LedgerID.system.uuid)",
                "DELETE FROM tenure.ledger WHERE ledger_id = \(LedgerID.system.uuid)")
            try await log.seal(with: forger)
            // By its own key it is a good log.
            #expect(try await log.verify(key: forger.key).violations == [])
            // The key that somebody kept says no, for every ledger.
            let byKey = try await log.verify()
            #expect(Set(byKey.violations.map(\.kind)) == [.checkpoint] && byKey.violations.count == 3)
            // So does the anchor that somebody kept, and it would even if the forger had the key.
            let byAnchor = try await log.verify(key: forger.key, anchor: log.anchor)
            #expect(byAnchor.violations.first?.ledger == .system)
        }
    }

    @Test func `only the anchor reveals a log rewritten with the right key`() async throws {
        try await SealedLog.with { log in
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = convert_to(replace(convert_from(entry, 'UTF8'), 'as it was',
                    'as we like'), 'UTF8') WHERE ledger_id = \(Self.ledger) AND position = 17
                """,
                "DELETE FROM tenure.tile", "DELETE FROM tenure.checkpoint",
                "DELETE FROM tenure.event WHERE ledger_id = \(LedgerID.system.uuid)",
                "DELETE FROM tenure.ledger WHERE ledger_id = \(LedgerID.system.uuid)")
            try await log.seal()
            #expect(try await log.verify().violations == [])
            let report = try await log.verify(anchor: log.anchor)
            #expect(report.violations.map(\.ledger) == [.system])
        }
    }

    /// The attack that a verifier who trusts tiles does not see (CVE-2026-56865 in a well-known one).
    @Test func `verification reports a forged entry with a matching tile`() async throws {
        try await SealedLog.with { log in
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = convert_to(replace(convert_from(entry, 'UTF8'), 'as it was',
                    'as we like'), 'UTF8') WHERE ledger_id = \(Self.ledger) AND position = 17
                """,
                """
                UPDATE tenure.tile SET hashes = overlay(hashes PLACING (SELECT leaf FROM tenure.event
                    WHERE ledger_id = \(Self.ledger) AND position = 17) FROM 16 * 32 + 1)
                WHERE ledger_id = \(Self.ledger) AND level = 0
                """)
            let rows = try await log.readerPool.query(
                "SELECT leaf FROM tenure.event WHERE ledger_id = \(Self.ledger) AND position <= 256 ORDER BY position",
                in: [SealedLog.ledger])
            let root = MerkleTree.root(leaves: try rows.map { try $0.decode([UInt8].self) })
            try await log.tamper(
                "UPDATE tenure.tile SET root = \(root) WHERE ledger_id = \(Self.ledger) AND level = 0")
            try await expect(.root, at: 1, in: log)
        }
    }

    @Test func `verification reports a removed ledger`() async throws {
        try await SealedLog.with { log in
            for table in ["event", "ledger", "tile", "checkpoint"] {
                try await log.tamper("DELETE FROM tenure.\(identifier: table) WHERE ledger_id = \(Self.ledger)")
            }
            try await expect(.missing, at: 1, in: log)
        }
    }

    @Test func `verification reports events beyond the head and malformed entries`() async throws {
        try await SealedLog.with { log in
            try await log.tamper("UPDATE tenure.ledger SET size = 299 WHERE ledger_id = \(Self.ledger)")
            try await expect(.unexpected, .missing, at: 300, in: log)
            try await log.tamper(
                "UPDATE tenure.ledger SET size = 300 WHERE ledger_id = \(Self.ledger)",
                "UPDATE tenure.event SET entry = '{}' WHERE ledger_id = \(Self.ledger) AND position = 5")
            try await expect(.entry, at: 5, in: log)
        }
    }
}
