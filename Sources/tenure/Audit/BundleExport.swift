import ArgumentParser
import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Projections

/// The options that make a replay read or write a bundle.
struct BundleOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("export"),
        help: ArgumentHelp("Write a bundle that verifies offline instead of printing.", valueName: "directory"))
    var exported: String?

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp("Replay a bundle instead of the database.", valueName: "directory"))
    var imported: String?

    @OptionGroup var keys: LogKeyOptions

    func validate() throws {
        guard exported == nil || imported == nil else {
            throw ValidationError("Pass either --export or --import.")
        }
        guard keys.key == nil || exported != nil || imported != nil else {
            throw ValidationError("--key needs --export or --import.")
        }
    }

    /// Opens the bundle of `--import` and verifies its checkpoints with the given key, else with the bundle's own.
    func open(_ directory: String) throws -> BundleReader {
        let bundle = try BundleReader(directory: directory)
        let given = try keys.given()
        try bundle.verifyCheckpoints(given ?? bundle.manifest.key)
        if given == nil {
            Output.standardError().line(
                "The signer's key comes from the bundle itself: \(Printable.text(bundle.manifest.key.description))\n"
                    + "Pass --key to compare it with a key from another source.")
        }
        return bundle
    }
}

extension ReplayOptions {
    /// Selects the ledgers and the employee of a bundle. Names are encrypted in a bundle, so employees are selected by
    /// UUID.
    func selection(_ bundle: BundleLog) async throws -> ReplaySelection {
        var selection = ReplaySelection(ledgers: bundle.ledgers)
        guard let company else { return selection }
        guard let ledger = try await Self.ledger(of: company, bundle) else {
            throw CommandFailure(
                .notFound, "the bundle has no company of that name",
                remedy: "If the bundle lacks the company's founding, name the company by its id.")
        }
        let employee = try employee.map { text throws(CommandFailure) in
            guard let id = EmployeeID(entered: text) else {
                throw CommandFailure(.usage, "a bundle contains names only sealed; give the employee's UUID")
            }
            return id
        }
        selection.limit(to: ledger, employee)
        return selection
    }

    private static func ledger(of company: String, _ bundle: BundleLog) async throws -> LedgerID? {
        let tenants = bundle.ledgers.map(\.id).filter(\.isTenant)
        if let ledger = tenants.first(where: { $0.description.utf8.elementsEqual(company.lowercased().utf8) }) {
            return ledger
        }
        let name: [UInt8]
        do { name = Array(try CompanyName(company).canonical) } catch { throw CommandFailure(.usage, "\(error)") }
        for ledger in tenants {
            let founding = try await bundle.founding(of: ledger)
            guard case .string(let found)? = founding?.data["companyName"] else { continue }
            if let other = try? CompanyName(recorded: found), Array(other.canonical) == name { return ledger }
        }
        return nil
    }

    /// The filter for a bundle.
    func filter() throws -> ReplayFilter {
        var filter = ReplayFilter(types: Set(type), app: app.flatMap(UUID.init(entered:)), request: request)
        if let actor {
            guard let id = EmployeeID(entered: actor) else {
                throw CommandFailure(.usage, "a bundle contains names only sealed; give the actor's UUID")
            }
            filter.actor = id.uuid
        }
        return filter
    }
}

/// Writes a replay into a bundle: whole ledgers, or selected entries with their inclusion proofs.
///
/// It writes entries exactly as they were signed, with encrypted members. So it needs no person's key, and an erasure
/// takes effect in bundles too. Entries newer than the last checkpoint cannot be proved yet and are left out.
struct BundleExport: Sendable {
    let reader: LedgerReader
    let log: EventLog
    let key: LogKey

    /// Writes a bundle. Removes it again if the export fails.
    ///
    /// - Returns: What was written, and how many events of the selected ledgers await a checkpoint.
    func run(
        to directory: String, _ selection: ReplaySelection, _ range: EventLog.Range, _ filter: ReplayFilter,
        progress: (Int64) -> Void = { _ in }
    ) async throws -> (entries: Int64, ledgers: Int, unsealed: Int64) {
        let writer = try BundleWriter(
            directory: directory, key: key, filter: Self.description(selection, range, filter))
        do {
            var total: (entries: Int64, ledgers: Int, unsealed: Int64) = (0, 0, 0)
            var before: Int64 = 0
            let isWhole = Self.isWhole(selection, range, filter)
            // The system ledger comes first, because its id is the lowest.
            if isWhole, selection.isOneCompany, let company = selection.ledgers.first?.id, company != .system {
                try await writeSystem(of: company, writer)
            }
            for (ledger, size) in selection.ledgers.sorted(by: { $0.id < $1.id }) {
                let checkpoint = try await reader.checkpoint(ledger)
                total.unsealed += max(size - (checkpoint?.checkpoint.size ?? 0), 0)
                if let checkpoint {
                    let count = try await write(ledger, checkpoint, selection, range, filter, writer) {
                        progress(before + min($0, size))
                    }
                    total.entries += count
                    total.ledgers += count > 0 ? 1 : 0
                }
                before += size
            }
            try await writer.finish()
            return total
        } catch {
            await writer.discard()
            throw error
        }
    }

    private static func isWhole(
        _ selection: ReplaySelection, _ range: EventLog.Range, _ filter: ReplayFilter
    ) -> Bool { range == EventLog.Range() && filter == ReplayFilter() && selection.employee == nil }

    /// Returns the apps that were ever linked to a tenant.
    private func vouchingApps(_ company: LedgerID) async throws -> Set<UUID> {
        var apps: Set<UUID> = []
        try await log.replay(company, EventLog.Range(), types: [AppLinked.type]) { events, _ in
            for event in events {
                if let linked = try EventCodec.payload(of: event.recorded) as? AppLinked {
                    apps.insert(linked.appID.uuid)
                }
            }
        }
        return apps
    }

    /// Writes the part of the system ledger that is needed to verify a tenant: the beginning of the log, the events of
    /// its apps, their secrets, resources and client data, and which of its entries are disowned, each with its proof.
    private func writeSystem(of company: LedgerID, _ writer: BundleWriter) async throws {
        guard let checkpoint = try await reader.checkpoint(.system) else { return }
        let apps = try await vouchingApps(company)
        guard !apps.isEmpty || !reader.codes.disowned.positions(in: company).isEmpty else { return }
        var range = EventLog.Range()
        range.toPosition = checkpoint.checkpoint.size
        try await writer.begin(checkpoint, .part, hashes: LedgerHashes(reader: reader, ledger: .system))
        let types = [
            SystemFounded.type, AppRegistered.type, AppSecretIssued.type, AppSecretRetired.type, AppSecretRevoked.type,
            AppResourceAdded.type, AppResourceRemoved.type, AppClientChanged.type, PagesEnabled.type, AppEnded.type,
            EntryDisowned.type, OriginsChanged.type,
        ]
        try await log.replay(.system, range, types: types) { events, _ in
            for event in events {
                let disowned = try EventCodec.payload(of: event.recorded) as? EntryDisowned
                guard
                    [SystemFounded.type, OriginsChanged.type].contains(event.recorded.type)
                        || apps.contains(event.recorded.stream.id)
                        || disowned?.ledger == company.uuid
                else { continue }
                try await writer.append(event.recorded.entry, at: event.recorded.position)
            }
        }
    }

    /// Writes the entries of a ledger. A ledger without a selected event is not written.
    private func write(
        _ ledger: LedgerID, _ checkpoint: SignedCheckpoint, _ selection: ReplaySelection, _ range: EventLog.Range,
        _ filter: ReplayFilter, _ writer: BundleWriter, _ reached: (Int64) -> Void
    ) async throws -> Int64 {
        let isWhole = Self.isWhole(selection, range, filter)
        let size = checkpoint.checkpoint.size
        var count: Int64 = 0
        if isWhole {
            guard size > 0 else { return 0 }
            try await writer.begin(checkpoint, .whole, hashes: LedgerHashes(reader: reader, ledger: ledger))
            while count < size {
                // Disowned entries too: their leaves are in the tree, whatever their bytes are.
                let page = try await reader.entries(
                    of: ledger, after: count, through: size, limit: 1_000, without: [], leavingDisowned: true)
                guard !page.entries.isEmpty else { break }
                for entry in page.entries { try await writer.append(entry.bytes, at: entry.position) }
                count = page.cursor
                reached(count)
            }
            return count
        }
        var range = range
        range.toPosition = min(range.toPosition ?? .max, size)
        try await log.replay(ledger, range, types: filter.typeList) { events, cursor in
            for event in events where filter.includes(event.recorded) && selection.concerns(event) {
                if count == 0 {
                    try await writer.begin(
                        checkpoint, .part, hashes: LedgerHashes(reader: reader, ledger: ledger))
                }
                try await writer.append(event.recorded.entry, at: event.recorded.position)
                count += 1
            }
            reached(cursor)
        }
        return count
    }

    static func description(
        _ selection: ReplaySelection, _ range: EventLog.Range, _ filter: ReplayFilter
    ) -> JSONValue {
        .objectOmittingNil([
            "companyId": selection.isOneCompany ? selection.ledgers.first.map { .uuid($0.id.uuid) } : nil,
            "employeeId": selection.employee?.json,
            "types": filter.typeList.map { .array($0.map(JSONValue.string)) },
            "app": filter.app.map(JSONValue.uuid), "actor": filter.actor.map(JSONValue.uuid),
            "requestId": filter.request.map(JSONValue.string),
            "fromPosition": range.fromPosition.map(JSONValue.integer),
            "toPosition": range.toPosition.map(JSONValue.integer),
            "from": range.from.map(JSONValue.timestamp), "to": range.to.map(JSONValue.timestamp),
        ])
    }
}

extension Replay {
    /// Prints a bundle.
    func replay(_ reader: BundleReader, _ range: EventLog.Range, _ format: ReplayFormat) async throws {
        let which = which
        try await Interruption.stopping {
            let bundle = BundleLog(reader)
            let selection = try await which.selection(bundle)
            let printer = LogPrinter(
                source: bundle, format: format, filter: try which.filter(),
                size: selection.ledgers.map(\.size).max() ?? 0)
            try await printer.run(selection, range)
        }
    }

    /// Writes a bundle and reports its content.
    static func export(
        _ selection: ReplaySelection, _ range: EventLog.Range, _ filter: ReplayFilter, to directory: String,
        _ key: LogKey, _ session: ReaderSession
    ) async throws {
        let log = EventLog(pool: session.pool, codes: session.codes, keys: nil)
        let total = selection.ledgers.reduce(0) { $0 + $1.size }
        let error = Output.standardError()
        let progress = ProgressReport("export", unit: .event, total: total, output: error)
        let export = BundleExport(reader: session.reader, log: log, key: key)
        let written = try await export.run(to: directory, selection, range, filter) { progress.update(done: $0) }
        progress.finish()
        let counts = "\(Noun.event.counted(written.entries)) of \(Noun.ledger.counted(written.ledgers))"
        error.line("\(counts) \(written.entries == 1 ? "is" : "are") in \(Printable.text(directory)).")
        if written.unsealed > 0 {
            let newer = Noun.event.counted(written.unsealed, "is", "are")
            error.line("\(newer) newer than the last checkpoint and not in it.")
        }
    }
}
