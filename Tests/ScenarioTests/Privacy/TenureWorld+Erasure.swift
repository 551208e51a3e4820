import IdentityService
import Keys
import Postgres
import TestSupport

extension TenureWorld {
    /// The erase list of the installation.
    var eraseList: ErasureList { ErasureList(beside: keyFile) }

    /// Erases over connections of its own, as `tenure erase` does, with the keys as they are in the file by then.
    func erasing<Result: Sendable>(_ body: @Sendable (Erasure) async throws -> Result) async throws -> Result {
        let store = try MasterKeyStore(file: keyFile)
        return try await database.withPool(as: .reader) { reader in
            try await body(instance.commands.erasure(reader: reader, masters: store, list: eraseList))
        }
    }

    /// Erases one employee.
    @discardableResult
    func erase(_ person: Person) async throws -> [Erasure.Erased] {
        try await erasing { erasure in
            try await erasure.run(try await erasure.plan(company: person.company, employee: person.id))
        }
    }

    /// Adds a version, wraps everything under it and destroys the versions before.
    func rotateAndRetire() async throws {
        try await database.withPool { pool in
            let (masters, _) = try await MasterKeyRotation.begin(keyFile, on: pool)
            _ = try await MasterKeyRotation(masters: masters).run(on: pool)
            for version in masters.heldVersions where version != masters.current {
                try await MasterKeyRotation.retire(version, keyFile, on: pool)
            }
        }
    }
}
