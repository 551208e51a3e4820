import Keys
import Ledger
import Logging
import Postgres

@testable import IdentityService

extension ServiceContext {
    /// A context whose statements are looked at and never sent.
    static func unconnected() throws -> ServiceContext {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: "postgresql://nobody@127.0.0.1:1/none"),
            maximumConnections: 1, logger: logger)
        let masters = MasterKeys.random()
        return ServiceContext(
            pool: pool, appender: Appender(pool: pool, logger: logger), reader: LedgerReader(pool: pool),
            ring: .random(), personKeys: PersonKeys(pool: pool, masters: masters),
            seeds: OPRFSeeds(pool: pool, masters: masters), compute: ComputePool(threads: 1, waiting: 1),
            evaluations: ComputePool(threads: 1, waiting: 1), settings: ServiceSettings(), logger: logger)
    }
}
