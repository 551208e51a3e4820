import ArgumentParser
import Canonical
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Where a replay comes from or goes to beside database and terminal.
struct BundleOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("export"),
        help: ArgumentHelp("Write a bundle that verifies offline instead of printing.", valueName: "directory"))
    var exported: String?

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp("Replay a bundle; no database is needed.", valueName: "directory"))
    var imported: String?

    @OptionGroup var keys: LogKeyOptions

    func validate() throws {
        guard exported == nil || imported == nil else {
            throw ValidationError("--export and --import exclude each other.")
        }
        guard keys.key == nil || exported != nil || imported != nil else {
            throw ValidationError("--key goes with --export and --import.")
        }
    }

    /// Opens the bundle of `--import`, with the checkpoints verified: by the key that was given, else by its own.
    func open(_ directory: String) throws -> BundleReader {
        let bundle = try BundleReader(directory: directory)
        let given = try keys.given()
        try bundle.verifyCheckpoints(given ?? bundle.manifest.key)
        if given == nil {
            Output.standardError().line(
                "The bundle says itself who signed it: \(Printable.text(bundle.manifest.key.description))\n"
                    + "Give --key to hold it against a key known otherwise.")
        }
        return bundle
    }
}

extension ReplayOptions {
    /// The ledgers of a bundle, and the employee; names are sealed there, so people are found by UUID.
    func selection(_ bundle: BundleLog) async throws -> ReplaySelection {
        var selection = ReplaySelection(ledgers: bundle.ledgers)
        guard let company else { return selection }
        guard let ledger = try await Self.ledger(of: company, bundle) else {
            throw CommandFailure(
                .notFound, "the bundle has no company of that name",
                remedy: "Without its founding in the bundle, a company is found by its id.")
        }
        let employee = try employee.map { text throws(CommandFailure) in
            guard let id = EmployeeID(text: text) else {
                throw CommandFailure(.usage, "names are sealed in a bundle: give the employee's UUID")
            }
            return id
        }
        selection.limit(to: ledger, employee)
        return selection
    }

    private static func ledger(of company: String, _ bundle: BundleLog) async throws -> LedgerID? {
        let tenants = bundle.ledgers.map(\.id).filter(\.isTenant)
        if let ledger = tenants.first(where: { $0.description.utf8.elementsEqual(company.utf8) }) { return ledger }
        let name: [UInt8]
        do { name = Array(try CompanyName(company).canonical) } catch { throw CommandFailure(.usage, "\(error)") }
        for ledger in tenants {
            let founding = try await bundle.founding(of: ledger)
            guard case .string(let found)? = founding?.data["companyName"] else { continue }
            if let other = try? CompanyName(found), Array(other.canonical) == name { return ledger }
        }
        return nil
    }

    /// The filter for a bundle.
    func filter() throws -> ReplayFilter {
        var filter = ReplayFilter(types: Set(type), app: app.flatMap(UUID.init(uuidString:)), request: request)
        if let actor {
            guard let id = EmployeeID(text: actor) else {
                throw CommandFailure(.usage, "names are sealed in a bundle: give the actor's UUID")
            }
            filter.actor = id.uuid
        }
        return filter
    }
}
