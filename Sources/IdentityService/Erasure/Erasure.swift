import Canonical
public import FoundationEssentials
import Identity
public import Keys
import Ledger
public import Postgres

/// Erases people: says so in the log, ends what they can do, destroys their keys and seeds, and re-keys the buckets.
///
/// Every step is safe to repeat, and what was begun is written down before it begins: on the erase list for databases
/// that are restored later, and in a row of the same transaction as the event for a run that is killed.
public struct Erasure: Sendable {
    let context: ServiceContext
    let reader: PostgresPool
    let rekeying: BucketRekeying
    let list: ErasureList?

    /// Erases over the parts of a service.
    ///
    /// - Parameters:
    ///   - reader: Connections of the reader role, to the primary.
    ///   - list: The erase list; nil keeps none, and then nobody knows what to erase again after a restore.
    public init(_ context: ServiceContext, reader: PostgresPool, masters: MasterKeyStore, list: ErasureList?) {
        self.context = context
        self.reader = reader
        self.list = list
        rekeying = BucketRekeying(reader: reader, masters: masters)
    }

    /// What became of one person.
    public struct Erased: Sendable, Equatable {
        /// A user, or an employee of one company.
        public let kind: ErasureList.Entry.Kind
        /// The ledger of the key.
        public let ledger: UUID
        /// The id of the user or the employee.
        public let id: UUID
        /// Backups and remains of the database open with this version of the master keys, or one before it; when they
        /// are destroyed the erasure is complete. Nil when there was no key.
        public let masterVersion: Int?
    }

    /// Erases whoever is in a plan.
    ///
    /// - Parameter includingSecurityAdmins: Whether companies may be left without anybody who can act as theirs.
    /// - Throws: ``ErasureError/Code/securityAdmin`` before anything is done, ``KeysError``, `LedgerError`,
    ///   `PostgresError`; then the same call, or ``resume()``, goes on.
    public func run(_ plan: ErasurePlan, includingSecurityAdmins: Bool = false) async throws -> [Erased] {
        guard includingSecurityAdmins || plan.orphanedCompanies.isEmpty else {
            throw ErasureError(code: .securityAdmin)
        }
        let now = Timestamp.now()
        let entries = plan.people.map { ErasureList.Entry(kind: $0.kind, ledger: $0.ledger, id: $0.id, time: now) }
        try list?.add(entries)
        return try await erase(entries, includingSecurityAdmins: includingSecurityAdmins)
    }

    /// Finishes what was begun: people whom the log calls erased and who still have keys.
    public func resume() async throws -> [Erased] {
        try await erase(try await ErasureRow.open(reader).map(\.entry), includingSecurityAdmins: true)
    }

    /// Erases again whoever is on a list, in a database that was restored; who is not in it, or is erased, is passed over.
    public func reapply(_ entries: [ErasureList.Entry]) async throws -> [Erased] {
        try list?.add(entries)
        return try await erase(entries, includingSecurityAdmins: true)
    }

    private func erase(
        _ entries: [ErasureList.Entry], includingSecurityAdmins: Bool
    ) async throws -> [Erased] {
        var erased: [Erased] = []
        for entry in entries where !erased.contains(where: { $0.id == entry.id }) {
            switch entry.kind {
            case .employee:
                let one = try await erase(
                    EmployeeID(entry.id), in: TenantID(entry.ledger), includingSecurityAdmins: includingSecurityAdmins)
                if let one { erased.append(one) }
            case .user:
                erased += try await erase(UserID(entry.id), includingSecurityAdmins: includingSecurityAdmins)
            }
        }
        return erased
    }
}
