import Ledger
package import Postgres
package import ServiceLifecycle

/// What runs beside the use cases: it deletes what has expired, records what has ended, finishes what a process left,
/// and watches the settings of the database.
package struct Upkeep: Sendable {
    /// The services, in the order of their start.
    package let services: [any Service]
    /// Gauges of durability, unlinked apps, rows and clocks in the Prometheus text format. They ask nobody.
    package let metrics: @Sendable () async -> String
    /// Gauges of checkpoints, re-keyings, sessions, grants and signing keys, which the database tells.
    package let storedMetrics: @Sendable () async -> String
    /// Why ledgers take no events, in sentences without data; empty if all take them.
    package let clockReasons: @Sendable () -> [String]
    /// Closes the sessions whose app was unlinked or whose secret was revoked, as ``services`` do periodically.
    package let closeEndedSessions: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - readerPool: Connections of the reader role, which sees all ledgers.
    ///   - durability: The durability settings of the database at the start.
    ///   - seals: What the sealer of this process knows.
    ///   - versions: Looks for other versions of the program.
    package init(
        _ context: ServiceContext, readerPool: PostgresPool, durability: Durability, seals: SealMemory,
        versions: @Sendable @escaping () async throws -> ProgramVersions
    ) {
        let pool = context.pool, logger = context.logger
        let sessions = SessionSweeper(context: context, readerPool: readerPool)
        let watch = DurabilityWatch(pool: pool, known: durability, logger: logger)
        let programs = ProgramVersionsWatch(logger: logger, read: versions)
        let delays = SealDelayGauge(pool: readerPool, memory: seals, disowned: context.reader.codes.disowned)
        let ledgers = LedgerWatch(
            pool: readerPool, delays: delays, boundsTimes: context.settings.clockTolerance != nil, logger: logger)
        let rekeyings = RekeyingHealth(pool: readerPool)
        let inventory = InventoryGauges(pool: readerPool, now: context.settings.now)
        let unlinkedApps = context.administration.unlinkedAppCalls, rows = context.rows.counts
        services = [
            ExpiredRowSweeper(
                pool: pool, readerPool: readerPool, logger: logger, now: context.settings.now), sessions,
            RekeyingSweeper(context: context), NameSweeper(context: context, readerPool: readerPool), watch, programs,
            ledgers,
            UnlinkedAppReport(calls: unlinkedApps, logger: logger),
            RefreshReplySweeper(pool: pool, readerPool: readerPool, logger: logger),
        ]
        metrics = {
            await watch.metrics() + programs.metrics() + unlinkedApps.metrics + rows.metrics
                + ledgers.ahead.metrics
        }
        clockReasons = { ledgers.ahead.reasons }
        storedMetrics = { await delays.metrics() + rekeyings.metrics() + inventory.metrics() }
        closeEndedSessions = { try await sessions.sweep(at: context.settings.now()) }
    }
}
