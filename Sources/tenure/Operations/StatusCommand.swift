import ArgumentParser
import Canonical
import Foundation
import IdentityService
import Ledger
import LocalDevelopment
import Logging
import Postgres
import Schema
import TenureAPI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Shows on one page how a running service is: the service, its database, its projections and its checkpoints.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how the service is: readiness, database, versions, schema, projections, anchor and mails.",
        discussion: """
            Asks the service over HTTP, the database with the reader role, and the mail server of the settings, which \
            gets no mail. tenure doctor checks what this machine needs before a service starts; this command looks at \
            the one that runs, here or on another host. The exit code is 69 if the service does not answer, and 1 if \
            anything else is bad.

            The service is that of --url, else of TENURE_URL, else of TENURE_PUBLIC_URL, else the one that make run \
            started, else the listen port on this machine. Without TENURE_READER_DATABASE_URL and a database of make \
            run, the database is left out.

            Examples:
              tenure status
              tenure status --url https://id.example.com --json
            """)

    @OptionGroup var options: SettingsOptions

    @Option(help: ArgumentHelp("The address of the service.", valueName: "url"))
    var url: String?

    @Option(help: "The state directory of the development service.")
    var stateDirectory = ".tenure"

    @Flag(help: "Print one JSON object per line of the page.")
    var json = false

    func run() async throws {
        let settings = try await options.settings(url.map { [.url: $0] } ?? [:])
        let state = StateDirectory(stateDirectory)
        let (service, answers) = await ServiceExamination(
            address: try Self.address(settings, state), get: ServiceExamination.overHTTP
        ).findings()
        let version = Finding(subject: "version", verdict: .note, detail: "tenure \(Tenure.version), this command")
        let examination = Examination(state: state, settings: settings)
        let findings = service + [version] + (await examination.database()) + (await examination.mailServer())
        let output = Output.standardOutput()
        if json {
            for finding in findings { try output.write(JSONLines.line(finding.json)) }
        } else {
            try output.write(Finding.table(findings).rendered(on: output.terminal))
        }
        if !answers { throw ExitCode.unreachable }
        if findings.contains(where: { $0.verdict == .bad }) { throw ExitCode.failure }
    }

    /// Returns the address of the service, without a slash at the end.
    static func address(_ settings: Settings, _ state: StateDirectory) throws -> String {
        let development = (try? String(contentsOfFile: state.environmentFile, encoding: .utf8))
            .flatMap(DevelopmentEnvironment.init(text:))?.url
        let named = settings.text(.url) ?? settings.text(.publicUrl) ?? development
        let port = try settings.number(.listenPort, in: 1...65_535, default: 8080)
        var address = named ?? "http://127.0.0.1:\(port)"
        while address.last == "/" { address.removeLast() }
        guard let parts = URLComponents(string: address), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host != nil
        else { throw CommandFailure(.usage, "\(address) is not the address of a service") }
        return address
    }
}

/// The checks of a service over HTTP.
struct ServiceExamination: Sendable {
    /// The address, without a slash at the end.
    let address: String
    let get: @Sendable (URL) async throws -> (status: Int, body: [UInt8])

    /// The time that the service gets for one answer.
    private static let patience: TimeInterval = 5

    static let overHTTP: @Sendable (URL) async throws -> (status: Int, body: [UInt8]) = { url in
        var request = URLRequest(url: url)
        request.timeoutInterval = patience
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, Array(data))
    }

    /// Returns the findings, and whether the service answers.
    func findings() async -> ([Finding], answers: Bool) {
        let subject = "service"
        guard let health = try? await answer("/healthz") else {
            let away = Finding(
                subject: subject, verdict: .bad, detail: "\(address) does not answer",
                remedy: "start it with tenure serve, or name its address with --url")
            return ([away], false)
        }
        guard health.status == 200, Self.text("status", health.body) == "ok" else {
            let other = Finding(
                subject: subject, verdict: .bad, detail: "\(address) answers, but is not a Tenure service",
                remedy: "name the service's address with --url")
            return ([other], false)
        }
        let ready = (try? await answer("/readyz")).map { Self.readiness($0.status, $0.body) }
        let silent = Finding(subject: "readiness", verdict: .bad, detail: "/readyz does not answer")
        return ([Finding(subject: subject, verdict: .good, detail: "\(address) answers"), ready ?? silent], true)
    }

    /// Returns the finding for an answer of `/readyz`.
    static func readiness(_ status: Int, _ body: [UInt8]) -> Finding {
        let subject = "readiness"
        guard status == 200 else {
            let missing = (try? Problem(bytes: body))?.errors.map(\.detail).joined(separator: ", ")
            return Finding(
                subject: subject, verdict: .bad, detail: "not ready: \(missing ?? "status \(status)")",
                remedy: "see the service's log")
        }
        guard text("status", body) == "degraded" else {
            return Finding(subject: subject, verdict: .good, detail: "ready")
        }
        let document = try? StrictJSON.parse(body)
        func items(_ name: String) -> [JSONValue] {
            if case .array(let items)? = document?[name] { items } else { [] }
        }
        var reasons = items("stoppedViews").isEmpty ? [] : ["a projection has stopped"]
        for case .string(let reason) in items("seals") + items("clocks") { reasons.append(reason) }
        return Finding(
            subject: subject, verdict: .bad, detail: "degraded: \(reasons.joined(separator: ", "))",
            remedy: "see views, seals and clocks below")
    }

    private func answer(_ path: String) async throws -> (status: Int, body: [UInt8]) {
        guard let url = URL(string: address + path) else { throw URLError(.badURL) }
        return try await get(url)
    }

    private static func text(_ member: String, _ body: [UInt8]) -> String? {
        guard case .string(let text)? = try? StrictJSON.parse(body)[member] else { return nil }
        return text
    }
}

extension Examination {
    /// Checks the server, the schema, the nodes, the projections, the checkpoints and the clocks. If the server is away,
    /// it is checked alone.
    func database() async -> [Finding] {
        let server = await server()
        guard server.allSatisfy({ $0.verdict == .good }) else { return server }
        return await server + schema() + distribution() + views() + seals() + clocks() + anchor() + pages() + mails()
    }

    private func server() async -> [Finding] {
        await inDatabase("database") { pool in
            let rows = try await pool.withConnection { connection in
                try await connection.query("SELECT current_setting('server_version'), pg_is_in_recovery()")
            }
            guard let (version, isStandby) = try rows.first?.decode(String.self, Bool.self) else { return [] }
            let number = version.split(separator: " ").first.map(String.init) ?? version
            return [
                Finding(
                    subject: "database", verdict: .good,
                    detail: "PostgreSQL \(number) answers" + (isStandby ? ", a standby" : ""))
            ]
        }
    }

    static let schemaSubject = "schema"

    func schema() async -> [Finding] {
        await inDatabase(Self.schemaSubject) { pool in
            let status = try await pool.withConnection { connection in
                let isDistributed = try await DistributedDatabase.isDistributed(on: &connection)
                let logger = Logs.logger(level: .critical)
                return try await DatabaseMigration.migrator(distributed: isDistributed, logger: logger)
                    .status(on: &connection)
            }
            return [Self.finding(status)]
        }
    }

    /// Returns the finding for the schema of a database.
    static func finding(_ status: MigrationStatus) -> Finding {
        let subject = schemaSubject
        let newest = Schema.migrations.last?.name ?? "none"
        if let other = status.otherHistory {
            return Finding(
                subject: subject, verdict: .bad, detail: "another history of migrations, from \(other) on",
                remedy: "use the version that created this database")
        }
        if let unknown = status.unknown.last {
            return Finding(
                subject: subject, verdict: .note,
                detail: "a newer version has migrated to \(unknown); this one knows \(newest)")
        }
        if let pending = status.pending.first {
            let count = Noun("migration").counted(status.pending.count, "is", "are")
            return Finding(
                subject: subject, verdict: .bad, detail: "\(count) not applied, from \(pending) on",
                remedy: "run: tenure migrate")
        }
        if !status.newerFunctions.isEmpty {
            let count = Noun("function").counted(status.newerFunctions.count, "is", "are")
            return Finding(subject: subject, verdict: .note, detail: "\(count) of a newer version")
        }
        guard status.staleFunctions.isEmpty else {
            let count = Noun("function").counted(status.staleFunctions.count, "is", "are")
            return Finding(
                subject: subject, verdict: .bad, detail: "\(count) not of this version", remedy: "run: tenure migrate")
        }
        return Finding(
            subject: subject, verdict: .good,
            detail: "up to date: \(Noun("migration").counted(status.appliedCount)), "
                + "the last is \(newest)")
    }

    private func anchor() async -> [Finding] {
        await inDatabase("anchor") { pool in
            let reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false)
            let size = try await reader.ledger(.system, after: .max - 1, limit: 1).size
            return [Self.finding(anchor: try await reader.checkpoint(.system)?.checkpoint.size, of: size)]
        }
    }

    /// Returns the finding for the newest anchor.
    ///
    /// - Parameters:
    ///   - covered: The number of events of the system ledger that it covers; `nil` if none was signed.
    ///   - size: The number of events of the system ledger.
    static func finding(anchor covered: Int64?, of size: Int64) -> Finding {
        let subject = "anchor"
        guard let covered else {
            return Finding(
                subject: subject, verdict: .bad, detail: "none is signed yet", remedy: "start the service; it signs one"
            )
        }
        let events = Noun.event.counted(size)
        return Finding(
            subject: subject, verdict: covered == size ? .good : .note,
            detail: covered == size
                ? "covers all \(events) of the system ledger" : "covers \(covered) of \(events) of the system ledger")
    }
}
