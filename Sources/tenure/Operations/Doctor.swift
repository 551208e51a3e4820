import ArgumentParser
import Canonical
import Foundation
import HTTPLimits
import IdentityService
import Keys
import Ledger
import LocalDevelopment
import Logging
import Postgres
import Projections

/// Checks what a service needs on this machine and reports what is missing.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the settings, files and permissions of a service on this machine, and its projections.",
        discussion: """
            With the settings of a service it checks what tenure serve would do with them: each setting, the files that \
            they name, the certificate, the address to listen on, and the database. Run it on the machine of the \
            service, as its user. Without settings it looks at the service started with make run. It asks the D-TAs of \
            either, and the mail server, which gets no mail. It changes nothing.

            Examples:
              tenure doctor
              runuser -u tenure -- tenure doctor --config /etc/tenure/tenure.json
              tenure doctor --json | jq -c 'select(.verdict == "bad")'
            """)

    @OptionGroup var options: SettingsOptions

    @Option(help: "The state directory of the development service.")
    var stateDirectory = ".tenure"

    @Flag(help: "Print one JSON object per check.")
    var json = false

    func run() async throws {
        let settings = try await options.settings()
        let findings = await Examination(state: StateDirectory(stateDirectory), settings: settings).findings()
        let output = Output.standardOutput()
        if json {
            for finding in findings { try output.write(JSONLines.line(finding.json)) }
        } else {
            try output.write(Finding.table(findings).rendered(on: output.terminal))
        }
        if findings.contains(where: { $0.verdict == .bad }) { throw ExitCode.failure }
    }
}

/// The checks of `tenure doctor`. They change nothing.
struct Examination: Sendable {
    let state: StateDirectory
    /// The settings; `nil` reads them from the environment.
    var settings: Settings?

    func findings() async -> [Finding] {
        await ofService() + ofDevelopment() + durability() + ownership() + functions() + distribution() + views()
            + seals() + disowned() + clocks() + rows() + pages() + mailServer() + mpinAuthorities() + [Self.build]
    }

    /// Whether this program can serve beyond this machine.
    private static let build = Finding(
        subject: "build", verdict: TLSBuild.isEnabled ? .good : .note,
        detail: TLSBuild.isEnabled ? "with TLS" : "without TLS, so it serves on loopback only",
        remedy: TLSBuild.isEnabled ? nil : "make install builds one with TLS")

    /// Checks the files and programs of a development service. A machine with settings and without such a service has
    /// no finding.
    private func ofDevelopment() async -> [Finding] {
        let exists = FileManager.default.fileExists(atPath: state.path)
        let hasSettings = (try? await configured().namesService) ?? true
        guard exists || !hasSettings else { return [] }
        return await [programs(), cluster()] + [
            secret("dev.env", state.environmentFile), secret("master keys", state.masterKeyFile),
            secret("operator key", state.operatorKeyFile),
        ]
    }

    func configured() async throws -> Settings {
        if let settings { return settings }
        return try await Settings(flags: [:], environment: ProcessInfo.processInfo.environment, file: nil)
    }

    private func programs() async -> Finding {
        do {
            let found = try await PostgresInstallation.find()
            return Finding(
                subject: "PostgreSQL programs", verdict: .good, detail: "version \(found.major) in \(found.directory)")
        } catch {
            return Finding(subject: "PostgreSQL programs", error: error)
        }
    }

    private func cluster() async -> Finding {
        let subject = "private cluster"
        do {
            let cluster = try await PrivateCluster.find(stateDirectory: state.path, mayMakeUser: false)
            guard cluster.layout.madeByMajor != nil else {
                return Finding(subject: subject, verdict: .note, detail: "none yet; make run creates one")
            }
            let runs = try await cluster.isRunning()
            return Finding(
                subject: subject, verdict: .good, detail: "\(runs ? "runs" : "stopped"), in \(cluster.layout.base)")
        } catch {
            return Finding(subject: subject, error: error)
        }
    }

    private func secret(_ subject: String, _ path: String) -> Finding {
        switch SecretFile.mode(of: path) {
        case nil: Finding(subject: subject, verdict: .note, detail: "none yet; make run creates it")
        case 0o600: Finding(subject: subject, verdict: .good, detail: "\(path), readable by its owner only")
        case .some(let mode):
            Finding(
                subject: subject, verdict: .bad, detail: "\(path) has mode 0\(String(mode, radix: 8))",
                remedy: "run: chmod 600 \(path)")
        }
    }
}

extension Finding {
    /// Creates the finding for a check that failed with an error.
    init(subject: String, error: any Error) {
        let failure = error as? CommandFailure ?? (error as? DevelopmentFailure).map { CommandFailure($0) }
        self.init(
            subject: subject, verdict: .bad, detail: failure?.message ?? "could not be checked", remedy: failure?.remedy
        )
    }
}

extension Examination {
    /// The maximum number of stopped projections to list individually.
    private static let toldStops = 20

    /// The database role of a check.
    enum Role: String {
        case reader = "tenure_reader"
        /// The role of the service. Falls back to the reader if no URL of the service's role is set.
        case application = "tenure_app"
    }

    /// Checks the projections in the configured database, or in that of the development service.
    func views() async -> [Finding] {
        await inDatabase("views") { pool in
            let lag = try await ProjectionLag.read(pool)
            let behind = lag.events.values.max() ?? 0
            let state = Finding(
                subject: "views", verdict: behind == 0 ? .good : .note,
                detail: behind == 0 ? "as far as the log" : "\(Noun.event.counted(behind)) behind the log")
            return [state] + lag.stopped.prefix(Self.toldStops).map(Self.finding)
        }
    }

    /// Finds ledgers whose checkpoints are overdue.
    func seals() async -> [Finding] {
        await inDatabase("seals") { pool in
            Self.findings(try await SealDelay.read(pool, SealMemory(key: try await logKey(pool)), compares: true))
        }
    }

    /// The key that signs the log's checkpoints; `nil` without master keys.
    private func logKey(_ pool: PostgresPool) async throws -> LogKey? {
        guard let masters = try await masterKeys(),
            let ring = try await KeyRing.stored(in: pool, masters: masters)
        else { return nil }
        return try LogKeyOptions.key(of: ring, await configured())
    }

    static func findings(_ delay: SealDelay) -> [Finding] {
        let differing = Finding(
            subject: "seals", verdict: .bad,
            detail: Noun("row").counted(delay.differing) + " of checkpoints are not what the log's key signed",
            remedy: "find out who writes the database; the service sets them right while it runs")
        guard delay.count > 0 else {
            let good = Finding(subject: "seals", verdict: .good, detail: "every ledger has a current checkpoint")
            return [delay.differing > 0 ? differing : good]
        }
        let waiting = Finding(
            subject: "seals", verdict: .bad,
            detail: Noun.ledger.counted(delay.count, "has", "have") + " lacked a current checkpoint for a minute",
            remedy: "start the service; if it is running, its log names what holds it up")
        return (delay.differing > 0 ? [differing, waiting] : [waiting])
            + delay.ledgers.map { ledger in
                Finding(
                    subject: "ledger \(ledger.id)", verdict: .bad,
                    detail: "a checkpoint covers \(ledger.sealed) of \(Noun.event.counted(ledger.size))"
                        + (ledger.differs.map { $0 ? ", and they differ from it" : "; they are as it says" } ?? ""),
                    remedy: ledger.differs == false
                        ? "it is late; wait for the next round"
                        : "run: tenure verify; a ledger that differs from its checkpoint is not signed again")
            }
    }

    /// Tells of the rows of the log that no service wrote.
    func disowned() async -> [Finding] {
        await inDatabase("disowned rows") { pool in
            Self.findings(disowned: try await DisownedRows.read(pool))
        }
    }

    static func findings(disowned rows: DisownedRows) -> [Finding] {
        guard rows.count > 0 else {
            return [Finding(subject: "disowned rows", verdict: .good, detail: "no row of the log is disowned")]
        }
        let all = Finding(
            subject: "disowned rows", verdict: .note,
            detail: Noun("row").counted(rows.count)
                + " of the log were written by somebody else, and count for nothing",
            remedy: "find out who writes the database; see docs/verification.md")
        return [all]
            + rows.newest.map { row in
                Finding(
                    subject: "ledger \(row.ledger)", verdict: .note,
                    detail: "the row at position \(row.position) was disowned at \(row.disowned)")
            }
    }

    /// Finds ledgers that are ahead of the database's clock.
    func clocks() async -> [Finding] {
        await inDatabase("clocks") { pool in Self.findings(try await LedgersAhead.read(pool)) }
    }

    static func findings(_ ahead: LedgersAhead) -> [Finding] {
        guard ahead.count > 0 else {
            return [Finding(subject: "clocks", verdict: .good, detail: "no ledger is ahead of the database's clock")]
        }
        let all = Finding(
            subject: "clocks", verdict: .bad,
            detail: Noun.ledger.counted(ahead.count, "is", "are") + " ahead of the database's clock, and stopped",
            remedy: "find the cause with tenure verify, then run: tenure ledger accept-time --all")
        return [all]
            + ahead.ledgers.map { ledger in
                Finding(
                    subject: "ledger \(ledger)", verdict: .bad, detail: "its latest event lies in the future",
                    remedy: "run: tenure ledger accept-time \(ledger)")
            }
    }

    /// Runs a check in the database. Returns a note without a database, and a finding if the database cannot be read.
    func inDatabase(
        _ subject: String, as role: Role = .reader, _ look: (PostgresPool) async throws -> [Finding]
    ) async -> [Finding] {
        do {
            guard let database = try await database(role) else {
                return [
                    Finding(
                        subject: subject, verdict: .note, detail: "no database is configured, and none is running here")
                ]
            }
            try await CommandDatabase.reach(database, role == .reader ? .readerDatabaseUrl : .databaseUrl)
            return try await withPostgresPool(
                configuration: database, maximumConnections: 1, acquireTimeout: .seconds(5),
                logger: Logs.logger(level: .critical), look)
        } catch  where error is CommandFailure || error is DevelopmentFailure {
            return [Finding(subject: subject, error: error)]
        } catch  where error is KeysError || error is UnsafeRole || Self.isEncoding(error) {
            return [Finding(subject: subject, error: CommandFailure(describing: error) as (any Error)? ?? error)]
        } catch {
            // What a check of the schema itself cannot read is not there.
            var isMigrated = false
            if subject != Self.schemaSubject { isMigrated = await schema().allSatisfy { $0.verdict != .bad } }
            return [
                Finding(
                    subject: subject, verdict: .bad, detail: "could not be read: \(error)",
                    remedy: Self.remedy((error as? PostgresError)?.sqlState, isMigrated: isMigrated))
            ]
        }
    }

    /// What to do about a check that the database refuses.
    ///
    /// - Parameter isMigrated: Whether the schema is this version's. Then a migration is no cure.
    static func remedy(_ state: SQLState?, isMigrated: Bool) -> String {
        switch state?.classCode {
        // The server answers, and does not reach a node.
        case "08": "start the node that is away"
        // Something of the schema is not there, or the role may not use it.
        case "42" where !isMigrated, "3F" where !isMigrated: "run: tenure migrate"
        case "42", "3F": "start the service; if it is running, compare the rights of the role with docs/install.md"
        default: "see the log of the database, then repeat"
        }
    }

    private static func isEncoding(_ error: any Error) -> Bool {
        (error as? PostgresError)?.code == .databaseEncoding
    }

    static func finding(_ stop: ProjectionLag.Stop) -> Finding {
        Finding(
            subject: "view \(stop.view)", verdict: .bad,
            detail: "stopped at position \(stop.position) of company \(stop.tenant): \(stop.reason)",
            remedy: "fix the cause; the projector retries the event each minute")
    }

    /// Looks for rows that the service did not write, and compares claims with the log. It takes the master keys.
    func rows() async -> [Finding] {
        await inDatabase("rows") { reader in
            guard let masters = try await masterKeys(), let database = try await database(.application) else {
                return [Finding(subject: "rows", verdict: .note, detail: "not compared: no master keys are configured")]
            }
            return try await withPostgresPool(
                configuration: database, maximumConnections: 2, acquireTimeout: .seconds(5),
                logger: Logs.logger(level: .critical)
            ) { application in
                guard let ring = try await KeyRing.stored(in: application, masters: masters) else {
                    return [
                        Finding(
                            subject: "rows", verdict: .note,
                            detail: "not compared: the service makes its keys when it starts")
                    ]
                }
                let log = RowsOfLog(
                    reader: reader, ring: ring, personKeys: PersonKeys(pool: application, masters: masters))
                return Self.findings(
                    try await RowExamination(reader: reader, application: application, log: log).findings())
            }
        }
    }

    static func findings(_ found: [RowExamination.Finding]) -> [Finding] {
        guard !found.isEmpty else {
            return [Finding(subject: "rows", verdict: .good, detail: "rows that decide are the service's own")]
        }
        return found.map { finding in
            let rows = Noun("row").counted(finding.count)
            let (detail, remedy) =
                switch finding.problem {
                case .wrongCode:
                    (
                        "\(rows) of \(finding.table) were changed or written by somebody else",
                        "find out who writes the database; the service refuses them"
                    )
                case .noCode:
                    ("\(rows) of \(finding.table) have no code", "find out who writes the database")
                case .missing:
                    ("\(rows) of \(finding.table) are missing that the log has", "run: tenure restore finish")
                case .foreign:
                    ("\(rows) of \(finding.table) are there that the log does not have", "run: tenure restore finish")
                case .damaged:
                    (
                        "\(Noun("stream").counted(finding.count)) of the log cannot be read, or have names that do "
                            + "not open",
                        "run: tenure verify, which names damage; keys of people come back from a backup only"
                    )
                }
            return Finding(
                subject: "table \(finding.table)", verdict: .bad, detail: detail,
                remedy: remedy)
        }
    }

    /// The configured master keys, or those of the development service; `nil` without any.
    private func masterKeys() async throws -> MasterKeyStore? {
        let settings = try await configured()
        if settings.text(.masterKeyFile) != nil || settings.text(.masterKeys) != nil {
            return try settings.masterKeyStore()
        }
        guard SecretFile.mode(of: state.masterKeyFile) != nil else { return nil }
        return try MasterKeyStore(file: MasterKeyFile(path: state.masterKeyFile))
    }

    private func database(_ role: Role) async throws -> PostgresConfiguration? {
        let settings = try await configured()
        let reader = settings.text(.readerDatabaseUrl), application = settings.text(.databaseUrl)
        if let url = role == .reader ? reader : application ?? reader { return try PostgresConfiguration(url: url) }
        guard let cluster = try? await PrivateCluster.find(stateDirectory: state.path, mayMakeUser: false),
            cluster.layout.madeByMajor != nil, try await cluster.isRunning()
        else { return nil }
        return try PostgresConfiguration(url: cluster.layout.url(role: role.rawValue))
    }
}

extension Examination {
    /// Checks that the database makes acknowledged writes durable, in a session configured like the service's.
    func durability() async -> [Finding] {
        await inDatabase("durability", as: .application) { pool in Self.findings(try await Durability.read(pool)) }
    }

    static func findings(_ durability: Durability) -> [Finding] {
        let weaknesses = durability.weaknesses
        guard !weaknesses.isEmpty else {
            return [
                Finding(
                    subject: "durability", verdict: .good,
                    detail: "acknowledged writes are durable: fsync and full_page_writes are on, "
                        + "synchronous_commit is \(durability.synchronousCommit)")
            ]
        }
        return weaknesses.map { weakness in
            Finding(
                subject: weakness.setting, verdict: weakness.losesEvents ? .bad : .note,
                detail: "off: \(weakness.consequence)",
                remedy: weakness.losesEvents ? "turn it on for the server, the database and tenure_app" : nil)
        }
    }
}

extension Examination {
    /// Checks that tables and functions of the schema belong to its owner.
    func ownership() async -> [Finding] {
        await inDatabase("owners") { pool in Self.findings(try await SchemaOwnership.read(pool)) }
    }

    static func findings(_ ownership: SchemaOwnership) -> [Finding] {
        guard !ownership.foreign.isEmpty else {
            return [
                Finding(subject: "owners", verdict: .good, detail: "tables and functions belong to tenure_owner")
            ]
        }
        return ownership.foreign.map { object in
            Finding(
                subject: "owners", verdict: .bad, detail: "\(object.name) belongs to \(object.owner)",
                remedy: object.isFunction
                    ? "run tenure migrate as a superuser, or as a member of \(object.owner) and tenure_owner"
                    : "as a superuser: ALTER TABLE \(object.name) OWNER TO tenure_owner")
        }
    }
}

extension Examination {
    /// Checks the nodes and tables of a distributed database. A database on one server has no finding.
    func distribution() async -> [Finding] {
        await inDatabase("nodes") { pool in
            let health = try await pool.withConnection { connection in
                try await DistributionHealth.read(on: &connection)
            }
            return health.map(Self.findings) ?? []
        }
    }

    static func findings(_ health: DistributionHealth) -> [Finding] {
        guard !health.weaknesses.isEmpty else {
            return [
                Finding(
                    subject: "nodes", verdict: .good,
                    detail: "\(Noun("worker").counted(health.workers)), every table is placed")
            ]
        }
        return health.weaknesses.map { weakness in
            Finding(subject: "nodes", verdict: .bad, detail: weakness.detail, remedy: weakness.remedy)
        }
    }
}

/// The finding of one check.
struct Finding: Sendable, Equatable {
    /// The severity. A note needs no remedy.
    enum Verdict: String, Sendable { case good, note, bad }

    var subject: String
    var verdict: Verdict
    var detail: String
    var remedy: String?

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "subject": .string(subject), "verdict": .string(verdict.rawValue), "detail": .string(detail),
        ]
        if let remedy { members["remedy"] = .string(remedy) }
        return .object(members)
    }

    static func table(_ findings: [Finding]) -> Table {
        var table = Table([.init(title: "Check"), .init(title: "Verdict"), .init(title: "Detail")])
        for finding in findings {
            table.add([
                finding.subject, finding.verdict.rawValue, finding.detail + (finding.remedy.map { "; \($0)" } ?? ""),
            ])
        }
        return table
    }
}
