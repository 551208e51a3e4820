import Canonical
import FoundationEssentials
@testable import Identity
import IdentityService
import Ledger
import Postgres
import Projections
import TestSupport

/// What must hold after a randomised run, whatever happened in it.
struct RandomisedInvariants: Sendable {
    let world: TenureWorld
    let crowd: Crowd
    /// The reader that followed all along.
    let follower: FeedFollower
    /// How long read models, cached keys and the feed may take to reach the end of the log.
    var patience = Duration.seconds(60)

    /// Finishes erasures as an operator would and returns everything that does not hold.
    func violations() async throws -> [RandomisedViolation] {
        // Whoever was told that an erasure is done need not finish anything.
        let left = try await leftOfErasedPeople(isFinished: false)
        var found = left.map { RandomisedViolation(invariant: .erasedPeopleLeaveNothing, detail: $0) }
        try await finishErasures()
        for invariant in RandomisedInvariant.allCases { found += try await violations(of: invariant) }
        return found
    }

    /// Returns what does not hold of one invariant.
    func violations(of invariant: RandomisedInvariant) async throws -> [RandomisedViolation] {
        let details =
            switch invariant {
            case .erasedPeopleLeaveNothing: try await leftOfErasedPeople()
            case .nobodyElseIsErased: try await erasedByMistake()
            case .erasedNamesAreUnreadable: try await readableNames()
            case .ledgersHaveNoGaps: try await gaps()
            case .registrationsAreThereOnce: try await lostRegistrations()
            case .nobodyElseIsRegistered: try await unknownRegistrations()
            case .foundersAreSecurityAdmins: try await missingSecurityAdmins()
            case .reclaimsAreThereOnce: try await lostReclaims()
            case .addressesHaveOneOwner: try await sharedAddresses()
            case .passphrasesAreWhatWasSaid: try await wrongPassphrases()
            case .guessesAreWithinTheLimit: await guessesAboveTheLimit()
            case .guessesAreCharged: try await unchargedGuesses()
            case .devicesAreThoseOfTheLog: try await differentDevices()
            case .viewsAreTheFold: try await differentViews()
            case .tenantsAreApart: try await foreignEvents()
            case .feedIsComplete: try await differencesOfTheFeed()
            }
        return details.map { RandomisedViolation(invariant: invariant, detail: $0) }
    }

    /// The texts of a query's only column.
    func texts(_ sql: SQL) async throws -> [String] {
        try await world.superuser { connection in
            try await connection.query(sql).map { try $0.decode(String.self) }
        }
    }

    /// Calls `attempt` until it finds nothing or the patience is over, and returns what it found last.
    func patiently(_ attempt: () async throws -> [String]) async throws -> [String] {
        let end = ContinuousClock.now + patience
        while true {
            let found = try await attempt()
            if found.isEmpty || ContinuousClock.now > end { return found }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

// MARK: The log and what is derived from it

extension RandomisedInvariants {
    private func gaps() async throws -> [String] {
        try await texts(
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
    }

    private func differentDevices() async throws -> [String] {
        try await texts(
            """
            WITH claimed AS (
                SELECT ledger_id, owner, key FROM tenure.claim WHERE kind = 'device'
            ), about AS (
                SELECT ledger_id, stream_id, version, type, convert_from(entry, 'UTF8')::jsonb #>> '{data,key}' AS key
                FROM tenure.event WHERE kind = 'employee'
            ), known AS (
                SELECT e.ledger_id, e.stream_id, sha256(uuid_send(e.stream_id) || decode(translate(
                    e.key, '-_', '+/') || '=', 'base64'))
                FROM about AS e WHERE e.type = 'EmployeeKeyAuthorized' AND NOT EXISTS (
                    SELECT FROM about AS o
                    WHERE o.ledger_id = e.ledger_id AND o.stream_id = e.stream_id AND o.version > e.version AND (
                        o.type IN ('EmployeeKeyRefused', 'EmployeeKeyRevoked') AND o.key = e.key OR o.type IN
                            ('EmailReclaimed', 'EmployeeIdReleased', 'EmployeeErased')))
            )
            SELECT 'claim of ' || owner FROM (TABLE claimed EXCEPT TABLE known) AS more
            UNION ALL SELECT 'no claim of ' || stream_id FROM (TABLE known EXCEPT TABLE claimed) AS fewer
            """)
    }

    private func differentViews() async throws -> [String] {
        try await world.database.withPool(as: .reader) { pool in
            let reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false)
            var found: [String] = []
            for (ledger, _) in try await EventLog(pool: pool, codes: .unchecked, keys: nil).ledgers()
            where ledger.isTenant {
                let tenant = TenantID(ledger.uuid)
                found += try await patiently {
                    let state = try await StateAt(reader: reader).company(tenant)
                    let result = try await LiveViews(pool: pool).compare(state, of: tenant)
                    let late = Set(ProjectionName.all).subtracting(result.compared)
                    return result.differences.map { "\($0)" } + late.map { "\($0) did not follow" }
                }
            }
            return found
        }
    }

    private func foreignEvents() async throws -> [String] {
        let ledgers = try await world.superuser { connection in
            try await connection.query("SELECT ledger_id FROM tenure.ledger WHERE size > 0").map {
                LedgerID(try $0.decode(UUID.self))
            }
        }
        return try await world.database.withPool { pool in
            var found: [String] = []
            for ledger in ledgers.prefix(8) {
                let rows = try await pool.query("SELECT DISTINCT ledger_id FROM tenure.event", in: [ledger])
                let seen = try rows.map { LedgerID(try $0.decode(UUID.self)) }
                if seen != [ledger] { found.append("\(ledger) sees \(seen)") }
            }
            return found
        }
    }

    /// Checkpoints are still appended, so the two looks are of one moment only when nothing came between them.
    private func differencesOfTheFeed() async throws -> [String] {
        try await patiently {
            try await follower.catchUp()
            let seen = await follower.seen, stored = try await events()
            let different = Set(seen.keys).union(stored.keys).filter { seen[$0] != stored[$0] }
            return await follower.gaps + different.map { "\($0)" }
        }
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
}

/// Something that must hold after a randomised run.
enum RandomisedInvariant: String, CaseIterable, Sendable {
    /// An erased person has no key, no session and no claim, and one event says that the person is erased.
    case erasedPeopleLeaveNothing
    /// Everybody else has a key, and no event says that they are erased.
    case nobodyElseIsErased
    /// The API tells no name and no address of an erased employee.
    case erasedNamesAreUnreadable
    /// Positions and versions are 1, 2, 3 …, and the head of a ledger is its last position.
    case ledgersHaveNoGaps
    /// An acknowledged registration is there once, and one whose reply was lost is there once or not at all.
    case registrationsAreThereOnce
    /// Nobody is registered whom nobody sent.
    case nobodyElseIsRegistered
    /// The first event of a company is a registration, and its employee is the security admin.
    case foundersAreSecurityAdmins
    /// An acknowledged reclaim took the address and ended the sessions, once.
    case reclaimsAreThereOnce
    /// An address belongs to one user at a time.
    case addressesHaveOneOwner
    /// The passphrase that was acknowledged last opens, and no earlier one does.
    case passphrasesAreWhatWasSaid
    /// No credential had more wrong guesses answered than its budget allows.
    case guessesAreWithinTheLimit
    /// Each wrong guess that was answered was charged.
    case guessesAreCharged
    /// The device keys that have a claim are those that an event presents.
    case devicesAreThoseOfTheLog
    /// The rows of the read models are those that the log folds to.
    case viewsAreTheFold
    /// The service's role sees no event of another tenant.
    case tenantsAreApart
    /// A reader that followed all along has read every event once, in order.
    case feedIsComplete
}

/// One thing that does not hold.
struct RandomisedViolation: Sendable, Hashable, CustomStringConvertible {
    let invariant: RandomisedInvariant
    let detail: String

    var description: String { "\(invariant): \(detail)" }
}
