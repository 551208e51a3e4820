import Canonical
import Foundation
import IdentityService
import Keys
import LocalDevelopment
import Postgres

/// The check of `tenure doctor` of addresses that were registered before A-labels.
extension Examination {
    /// The maximum number of users to list individually.
    private static let toldNames = 20

    /// Finds the users who registered an address that another user holds.
    func addresses() async -> [Finding] {
        await inDatabase("addresses") { pool in
            guard let masters = try await masterKeys() else {
                return [
                    Finding(
                        subject: "addresses", verdict: .note,
                        detail: "not compared, because no master keys are configured here")
                ]
            }
            return Self.findings(try await AddressCollisions(pool: pool, masters: masters).find())
        }
    }

    static func findings(_ collisions: [AddressCollision]) -> [Finding] {
        guard !collisions.isEmpty else {
            return [Finding(subject: "addresses", verdict: .good, detail: "each is held by whoever registered it")]
        }
        let others = collisions.count - toldNames
        let rest = Finding(subject: "addresses", verdict: .note, detail: "\(others) more users lost an address")
        return collisions.prefix(toldNames).map { collision in
            Finding(
                subject: "user \(collision.user.lowercased)", verdict: .note,
                detail: "keeps the account, and lost the address to another spelling of it by user "
                    + collision.holder.lowercased)
        } + (others > 0 ? [rest] : [])
    }

    private func masterKeys() async throws -> MasterKeyStore? {
        let settings = try await configured()
        if settings.text(.masterKeyFile) != nil || settings.text(.masterKeys) != nil {
            return try settings.masterKeyStore()
        }
        // A configured database has other keys than the service of make run.
        guard settings.text(.readerDatabaseUrl) == nil, SecretFile.mode(of: state.masterKeyFile) != nil else {
            return nil
        }
        return try MasterKeyStore(file: MasterKeyFile(path: state.masterKeyFile))
    }
}
