import Canonical
import EventCoding
package import FoundationEssentials
import Identity
package import Keys
import Ledger
package import Postgres
import Text

/// A user who registered an address that another user holds.
///
/// Both registered spellings of it before addresses were compared by their A-labels.
package struct AddressCollision: Sendable, Equatable {
    /// The user who keeps the account without the address.
    package let user: UUID
    /// The user who holds the address.
    package let holder: UUID

    package init(user: UUID, holder: UUID) {
        self.user = user
        self.holder = holder
    }
}

/// Finds the users who lost an address to another spelling of it.
///
/// Only users without a claim by the address's key can have, and only if their domain has an A-label. The others are
/// read, but nothing is looked up for them.
package struct AddressCollisions: Sendable {
    private static let pageSize = 500
    private let pool: PostgresPool
    private let ring: KeyRing
    private let holders: AddressHolders

    /// - Parameters:
    ///   - pool: Connections of the reader role.
    ///   - masters: The master keys, with which addresses are decrypted.
    /// - Throws: What loading the keys throws.
    package init(pool: PostgresPool, masters: MasterKeyStore) async throws {
        self.pool = pool
        ring = try await KeyRing.load(from: pool, masters: masters)
        let reader = LedgerReader(pool: pool, codes: EventCodes(ring), storesTiles: false)
        try await reader.refreshDisowned()
        holders = AddressHolders(
            ring: ring, reader: reader,
            personKeys: PersonKeys(pool: pool, masters: masters))
    }

    /// Returns the collisions, in the order of the users' ids.
    ///
    /// - Throws: `LedgerError`, `PostgresError` or `KeysError`.
    package func find() async throws -> [AddressCollision] {
        let exact = Set(try await owners("address"))
        let older = Set(try await owners("email")).subtracting(exact).map { UserID($0) }
        var found: [AddressCollision] = []
        for (directory, users) in Dictionary(grouping: older, by: { LedgerID.directory(of: $0) }) {
            for start in stride(from: 0, to: users.count, by: Self.pageSize) {
                let page = Array(users[start..<min(start + Self.pageSize, users.count)])
                for person in try await holders.people(page, in: directory) {
                    if let collision = try await collision(of: person) { found.append(collision) }
                }
            }
        }
        return found.sorted { $0.user.bytes.lexicographicallyPrecedes($1.user.bytes) }
    }

    private func collision(of person: AddressHolders.Person) async throws -> AddressCollision? {
        guard let user = person.state.id, let address = person.address,
            address.domainName?.ascii.split(separator: ".").contains(where: { $0.hasPrefix("xn--") }) == true,
            let holder = try await holders.holder(of: address), holder != user
        else { return nil }
        return AddressCollision(user: user.uuid, holder: holder.uuid)
    }

    private func owners(_ kind: String) async throws -> [UUID] {
        var owners: [UUID] = []
        for directory in LedgerID.directories {
            let rows = try await pool.withConnection { connection in
                try await connection.query(
                    "SELECT owner FROM tenure.claim WHERE ledger_id = \(directory.uuid) AND kind = \(kind)")
            }
            owners += try rows.map { try $0.decode(UUID.self) }
        }
        return owners
    }
}
