import ArgumentParser
import FoundationEssentials
import Identity
import IdentityService
import Ledger

/// Verifies the log from its entries.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the log, or an exported bundle, from its entries; exit code 3 when something was changed.",
        discussion: """
            Every entry is read and hashed; columns, versions, heads, tiles, recorded and signed checkpoints, the \
            anchor, and the signatures inside events are held against what comes out. Of a bundle nothing but its files \
            is needed, and the key.

            The database needs TENURE_READER_DATABASE_URL. The key comes from --key, else from the anchor, else from \
            TENURE_MASTER_KEY_FILE; only the first two are independent of this machine.
            """)

    @OptionGroup var options: SettingsOptions
    @OptionGroup var keys: LogKeyOptions

    @Option(help: ArgumentHelp("An anchor that was kept elsewhere.", valueName: "file"))
    var anchor: String?

    @Option(help: "Only this company, besides the system ledger.")
    var company: String?

    @Option(
        help: ArgumentHelp(
            "The fingerprint of the founder's first key, to be compared; with --company or --bundle.", valueName: "hex")
    )
    var founder: String?

    @Option(
        help: ArgumentHelp(
            "Show how the key with this fingerprint came to be authorized, up to the founder's first key; with "
                + "--company or --bundle.", valueName: "hex"))
    var chain: String?

    @Option(help: ArgumentHelp("An exported bundle instead of the database.", valueName: "directory"))
    var bundle: String?

    @Flag(inversion: .prefixedNo, help: "Verify the signatures inside events.")
    var signatures = true

    @Flag(help: "One JSON object per finding, and one for the whole.")
    var json = false

    func validate() throws {
        guard (founder == nil && chain == nil) || company != nil || bundle != nil else {
            throw ValidationError("--founder and --chain need --company or --bundle.")
        }
        guard chain == nil || signatures else { throw ValidationError("A chain is worth nothing without signatures.") }
        guard bundle == nil || company == nil else { throw ValidationError("--bundle is verified as a whole.") }
        guard bundle == nil || keys.key != nil || anchor != nil else {
            throw ValidationError("A bundle is verified by a key known otherwise: give --key or --anchor.")
        }
    }

    func run() async throws {
        let given = try keys.given()
        let anchor = try anchor.map { try Anchor(parsing: try LogKeyOptions.read($0), key: given) }
        let error = Output.standardError()
        let progress = ProgressReport("verify", unit: "events", total: nil, output: error)
        let report: VerifyReport
        if let bundle {
            report = try await verifyBundle(bundle, given, anchor, progress)
        } else {
            report = try await verifyDatabase(anchor, progress)
        }
        progress.finish()
        if chain != nil, report.chain.isEmpty, report.violations.isEmpty {
            throw CommandFailure(.notFound, "no key with that fingerprint was ever authorized")
        }
        let printer = VerifyPrinter(report: report)
        printer.print(asJSON: json, to: .standardOutput())
        error.line(printer.words)
        if anchor != nil, !report.isAnchored {
            error.line(
                "The anchor gave its key and nothing else: a bundle without the whole system ledger cannot be compared."
            )
        }
        if !report.violations.isEmpty { throw ExitCode.integrityViolation }
    }

    private func verifyDatabase(_ anchor: Anchor?, _ progress: ProgressReport) async throws -> VerifyReport {
        let settings = try await options.settings()
        let (company, founder, chain, keys) = (company, Self.plain(founder), Self.plain(chain), keys)
        let checksSignatures = signatures
        return try await ReaderSession.run(settings) { session in
            let key = try keys.resolved(anchor: anchor, settings, session.ring)
            let ledger = try company.map { LedgerID(try session.tenant($0).uuid) }
            let request = VerifyRequest(
                key: key, anchor: anchor, ledger: ledger, checksSignatures: checksSignatures,
                founderFingerprint: founder, chainFingerprint: chain)
            return try await VerifyLog(pool: session.pool, request: request).run { done, total in
                progress.update(done: done, of: total)
            }
        }
    }

    private func verifyBundle(
        _ directory: String, _ given: LogKey?, _ anchor: Anchor?, _ progress: ProgressReport
    ) async throws -> VerifyReport {
        guard let key = given ?? anchor?.key else { throw CommandFailure(.usage, "the key of the log is not known") }
        let reader = try BundleReader(directory: directory)
        let request = VerifyRequest(
            key: key, anchor: anchor, ledger: try theCompany(of: reader), checksSignatures: signatures,
            founderFingerprint: Self.plain(founder), chainFingerprint: Self.plain(chain))
        return try await Interruption.stopping {
            try await VerifyBundle(reader, request: request).run { done, total in
                progress.update(done: done, of: total)
            }
        }
    }

    /// The one company in a bundle that a founder or a chain is asked for; nil when neither is.
    private func theCompany(of bundle: BundleReader) throws -> LedgerID? {
        guard founder != nil || chain != nil else { return nil }
        let companies = bundle.manifest.parts.filter { $0.ledger != .system && !$0.ledger.isDirectory }
        guard let company = companies.first, companies.count == 1, company.content == .whole else {
            throw CommandFailure(.usage, "--founder and --chain need a bundle with one whole company")
        }
        return company.ledger
    }

    private static func plain(_ fingerprint: String?) -> String? {
        fingerprint.map { text in text.filter { !$0.isWhitespace }.lowercased() }
    }
}
