import ArgumentParser
import FoundationEssentials
import Identity
import IdentityService
import Ledger

/// Verifies the log from its entries.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the log or an exported bundle. The exit code is 3 if anything was changed.",
        discussion: """
            The command reads and hashes every entry. It compares the result with columns, versions, heads, tiles, \
            recorded and signed checkpoints and the anchor, and verifies the signatures inside events. Verifying a \
            bundle needs only its files and the key.

            Verifying the database needs TENURE_READER_DATABASE_URL. The key comes from --key, else from the anchor, \
            else from TENURE_MASTER_KEY_FILE; only the first two are independent of this machine.

            Examples:
              tenure verify --anchor /mnt/elsewhere/tenure.anchor
              tenure verify --bundle audit-2026 --key tenure.pub --json
            """)

    @OptionGroup var options: SettingsOptions
    @OptionGroup var keys: LogKeyOptions

    @Option(help: ArgumentHelp("An anchor that was stored elsewhere.", valueName: "file"))
    var anchor: String?

    @Option(help: "Verify only this company and the system ledger.")
    var company: String?

    @Option(
        help: ArgumentHelp(
            "The expected fingerprint of the founder's first key; with --company or --bundle.", valueName: "hex")
    )
    var founder: String?

    @Option(
        help: ArgumentHelp(
            "The operator key that the log must begin with: the public half in base64, or a file with either half.",
            valueName: "key|file"))
    var `operator`: String?

    @Option(
        help: ArgumentHelp(
            "Show how the key with this fingerprint came to be authorized, up to the founder's first key; with "
                + "--company or --bundle.", valueName: "hex"))
    var chain: String?

    @Option(help: ArgumentHelp("Verify an exported bundle instead of the database.", valueName: "directory"))
    var bundle: String?

    @Flag(inversion: .prefixedNo, help: "Verify the signatures inside events.")
    var signatures = true

    @Flag(help: "Print one JSON object per finding, and one for the result.")
    var json = false

    func validate() throws {
        guard (founder == nil && chain == nil) || company != nil || bundle != nil else {
            throw ValidationError("--founder and --chain need --company or --bundle.")
        }
        guard chain == nil || signatures else {
            throw ValidationError("--chain needs the signatures; remove --no-signatures.")
        }
        guard bundle == nil || company == nil else {
            throw ValidationError("--bundle is always verified as a whole; remove --company.")
        }
        guard bundle == nil || keys.key != nil || anchor != nil else {
            throw ValidationError("Verifying a bundle needs a key from another source: pass --key or --anchor.")
        }
    }

    func run() async throws {
        let given = try keys.given()
        let anchor = try anchor.map { try Anchor(parsing: try LogKeyOptions.read($0), key: given) }
        let error = Output.standardError()
        let progress = ProgressReport("verify", unit: .event, total: nil, output: error)
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
        try printer.print(asJSON: json, to: .standardOutput())
        error.line(printer.words)
        if let words = printer.anchorWords { error.line(words) }
        if !report.violations.isEmpty { throw ExitCode.integrityViolation }
    }

    private func verifyDatabase(_ anchor: Anchor?, _ progress: ProgressReport) async throws -> VerifyReport {
        let settings = try await options.settings()
        let (company, founder, chain, keys) = (company, Self.plain(founder), Self.plain(chain), keys)
        let checksSignatures = signatures
        let operatorKey = try `operator`.map(OperatorKeyFile.publicKey(given:))
        return try await ReaderSession.run(settings) { session in
            let key = try keys.resolved(anchor: anchor, settings, session.ring)
            let ledger = try company.map { LedgerID(try session.tenant($0).uuid) }
            let request = VerifyRequest(
                key: key, anchor: anchor, ledger: ledger, checksSignatures: checksSignatures,
                founderFingerprint: founder, chainFingerprint: chain, operatorKey: operatorKey)
            return try await VerifyLog(pool: session.pool, request: request).run { done, total in
                progress.update(done: done, of: total)
            }
        }
    }

    private func verifyBundle(
        _ directory: String, _ given: LogKey?, _ anchor: Anchor?, _ progress: ProgressReport
    ) async throws -> VerifyReport {
        guard let key = given ?? anchor?.key else { throw CommandFailure(.usage, "the log's public key is unknown") }
        let reader = try BundleReader(directory: directory)
        let request = VerifyRequest(
            key: key, anchor: anchor, ledger: try theCompany(of: reader), checksSignatures: signatures,
            founderFingerprint: Self.plain(founder), chainFingerprint: Self.plain(chain),
            operatorKey: try `operator`.map(OperatorKeyFile.publicKey(given:)))
        return try await Interruption.stopping {
            try await VerifyBundle(reader, request: request).run { done, total in
                progress.update(done: done, of: total)
            }
        }
    }

    /// Returns the only tenant of a bundle if a founder or a chain is requested; `nil` otherwise.
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
