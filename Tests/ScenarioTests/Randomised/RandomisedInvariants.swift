import Canonical
import FoundationEssentials
import Identity
import Ledger
import Postgres
import Projections
import TestSupport
import Testing

/// What must hold after a randomised run, whatever happened in it.
struct RandomisedInvariants {
    let world: TenureWorld
    let crowd: Crowd
    /// Seed and counts, for every failure.
    let said: String

    func check() async throws {
        let logs = try await erasuresAreWhole()
        try await everyLedgerIsGapless()
        for log in logs { try await whatWasAcknowledgedIsThere(log) }
        try await reclaimsAreThere(logs)
        try await passphrasesAreWhatWasSaid(logs)
        try await guessesAreWithinTheLimit()
        try await devicesAreThoseOfTheLog()
        try await viewsAreTheFold()
        try await nothingIsSeenByOthers()
    }

    /// A reader that followed all along has read every event once, in the order of positions, and none that is not there.
    func checkFeed(_ follower: FeedFollower) async throws {
        var stored: [LedgerID: [UUID]] = [:], seen: [LedgerID: [UUID]] = [:]
        // Seals are still appended, so the two looks are of one moment only when nothing came between them.
        for _ in 0..<50 {
            try await follower.catchUp()
            seen = await follower.seen
            stored = try await events()
            if seen == stored { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(await follower.gaps == [], "\(said)")
        #expect(seen == stored, "\(said)")
    }

    /// The ids of all events, in the order of positions.
    private func events() async throws -> [LedgerID: [UUID]] {
        let rows = try await world.superuser { connection in
            try await connection.query(
                "SELECT ledger_id, array_agg(event_id ORDER BY position) FROM tenure.event GROUP BY ledger_id"
            ).map { try $0.decode(UUID.self, [UUID].self) }
        }
        return Dictionary(uniqueKeysWithValues: rows.map { (LedgerID($0.0), $0.1) })
    }

    /// Positions and versions are 1, 2, 3 …, heads say the last, and each company has one first event that founds it.
    private func everyLedgerIsGapless() async throws {
        try await world.superuser { connection in
            let broken = try await connection.query(
                """
                SELECT 'ledger ' || l.ledger_id FROM tenure.ledger AS l LEFT JOIN (
                    SELECT ledger_id, count(*) AS events, max(position) AS last FROM tenure.event GROUP BY ledger_id
                ) AS e USING (ledger_id) WHERE l.size <> coalesce(e.events, 0) OR l.size <> coalesce(e.last, 0)
                UNION ALL
                SELECT 'stream ' || stream_id FROM tenure.event GROUP BY ledger_id, stream_id, kind
                HAVING count(*) <> max(version)
                UNION ALL
                SELECT 'event id ' || event_id FROM tenure.event GROUP BY event_id HAVING count(*) > 1
                """)
            #expect(try broken.map { try $0.decode(String.self) } == [], "\(said)")
        }
    }

    /// No credential was charged more often than the limit, and every wrong answer that was given had been charged.
    private func guessesAreWithinTheLimit() async throws {
        let wrong = await crowd.wrong
        #expect(wrong.values.allSatisfy { $0 <= 20 }, "\(wrong); \(said)")
        let charged = try await world.count("AttemptCharged")
        #expect(charged >= wrong.values.reduce(0, +), "\(said)")
    }

    /// Of everybody who was not erased, the keys that have a claim are those that an event presents.
    private func devicesAreThoseOfTheLog() async throws {
        try await world.superuser { connection in
            let different = try await connection.query(
                """
                WITH claimed AS (
                    SELECT ledger_id, owner, key FROM tenure.claim WHERE kind = 'device'
                ), presented AS (
                    SELECT e.ledger_id, e.stream_id, sha256(uuid_send(e.stream_id) || decode(translate(
                        convert_from(e.entry, 'UTF8')::jsonb #>> '{data,key}', '-_', '+/') || '=', 'base64'))
                    FROM tenure.event AS e WHERE e.type = 'EmployeeKeyPresented' AND NOT EXISTS (
                        SELECT FROM tenure.event AS o WHERE o.ledger_id = e.ledger_id AND o.stream_id = e.stream_id
                            AND o.type = 'EmployeeErased')
                )
                SELECT 'claim of ' || owner FROM (TABLE claimed EXCEPT TABLE presented) AS more
                UNION ALL SELECT 'no claim of ' || stream_id FROM (TABLE presented EXCEPT TABLE claimed) AS fewer
                """)
            #expect(try different.map { try $0.decode(String.self) } == [], "\(said)")
        }
    }

    /// The live rows are byte for byte those that the log folds to.
    private func viewsAreTheFold() async throws {
        try await world.database.withPool(as: .reader) { pool in
            let reader = LedgerReader(pool: pool, storesTiles: false)
            for (ledger, _) in try await EventLog(pool: pool, keys: nil).ledgers() where ledger.isTenant {
                let tenant = TenantID(ledger.uuid)
                var compared: Set<ProjectionName> = []
                for _ in 0..<300 where compared.count < ProjectionName.all.count {
                    let state = try await StateAt(reader: reader).company(tenant)
                    let result = try await LiveViews(pool: pool).compare(state, of: tenant)
                    compared = result.compared
                    #expect(result.differences == [], "\(said)")
                    if compared.count < ProjectionName.all.count { try await Task.sleep(for: .milliseconds(100)) }
                }
                #expect(compared == Set(ProjectionName.all), "views did not follow; \(said)")
            }
        }
    }

    /// Under the scope of one company the service's role sees no event of another.
    private func nothingIsSeenByOthers() async throws {
        try await world.database.withPool { pool in
            let ledgers = try await world.superuser { connection in
                try await connection.query("SELECT ledger_id FROM tenure.ledger WHERE size > 0").map {
                    LedgerID(try $0.decode(UUID.self))
                }
            }
            for ledger in ledgers.prefix(8) {
                let rows = try await pool.query("SELECT DISTINCT ledger_id FROM tenure.event", in: [ledger])
                #expect(try rows.map { LedgerID(try $0.decode(UUID.self)) } == [ledger], "\(said)")
            }
        }
    }
}
