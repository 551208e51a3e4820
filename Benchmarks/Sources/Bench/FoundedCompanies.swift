import Foundation
import IdentityService
import Keys
import Ledger
import Postgres
import Projections
import TenureAPI
import TenureServer

/// A database in which people have founded companies through the service, and have logged in once.
struct FoundedCompanies: Sendable {
    let cluster: Cluster
    let database: String
    let masters: MasterKeys

    /// Makes the database and has `count` people register in blind mode, one after the other, and log in by answers.
    func makeBlind(_ count: Int) async throws -> [BlindPerson] {
        try await cluster.makeDatabase(database)
        return try await BenchService(cluster, database, masters).run { assembly in
            let secret = try await assembly.commands.createApp(name: "bench", roles: AppLinkRequest.Role.usual)
            let session = try await BenchSession(assembly.service, secret)
            var people: [BlindPerson] = []
            for number in 1...count {
                let person = try await BlindPerson.register(BenchPerson(number: number), session)
                try await person.logIn(session)
                people.append(person)
            }
            return people
        }
    }

    /// Makes the database and has `count` people register; the events that founded their companies.
    func make(_ count: Int) async throws -> [RecordedEvent] {
        try await cluster.makeDatabase(database)
        let people = (1...count).map { BenchPerson(number: $0) }
        try await BenchService(cluster, database, masters).run { assembly in
            let secret = try await assembly.commands.createApp(name: "bench", roles: AppLinkRequest.Role.usual)
            let session = try await BenchSession(assembly.service, secret)
            try await withThrowingTaskGroup { group in
                for person in people {
                    group.addTask {
                        try await session.register(person)
                        try await session.logIn(person)
                    }
                }
                try await group.waitForAll()
            }
        }
        let reader = try cluster.configuration(database, as: "tenure_reader")
        return try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
            let log = EventLog(pool: readers, codes: .unchecked, keys: nil)
            var foundings: [RecordedEvent] = []
            for (ledger, _) in try await log.ledgers() where ledger.isTenant {
                if let founding = try await log.founding(of: ledger) { foundings.append(founding) }
            }
            return foundings
        }
    }
}
