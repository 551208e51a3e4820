import Canonical
import FoundationEssentials
import Postgres
import Testing

/// What must hold of the people of a randomised run.
extension RandomisedInvariants {
    /// Who was told a position is registered there once; who was told nothing, once or not at all.
    func whatWasAcknowledgedIsThere(_ log: CompanyLog) async throws {
        let accounts = await crowd.accounts.filter { $0.person.company == log.company }
        let unknown = await crowd.unknown.filter { $0.company == log.company }
        let ids = log.registered.keys.compactMap { log.said("companyEmployeeId", of: $0) }
        #expect(log.registered.count == log.events("EmployeeRegistered").count, "\(said)")
        #expect(Set(ids).count == ids.count, "an employee is registered twice; \(said)")
        for account in accounts {
            let employee = try #require(
                log.employee(at: account.position), "\(account.person.id) is lost; \(said)")
            let name = log.said("companyEmployeeId", of: employee)
            #expect(log.erased.contains(employee) || name == account.person.id, "\(account.person.id); \(said)")
        }
        let known = Set(accounts.map(\.person.id) + unknown.map(\.id))
        #expect(Set(ids).isSubset(of: known), "somebody registered whom nobody sent; \(said)")
        // The first event is a registration, and the security admin is who registered there.
        let first = try #require(log.events.first)
        #expect(first["position"]?.number == 1 && first["type"]?.text == "EmployeeRegistered")
        let client = await crowd.client(0), last = log.events.last?["position"]?.number
        let admin = try await client.get(client.path(log.company, "/security-admin"), at: last)
        let founder = first["data"]?["companyEmployeeId"]?.text
        #expect(admin["employee"]?["companyEmployeeId"]?.text == founder, "\(admin); \(said)")
    }

    /// An address belongs to one user at a time; who lost it has neither sessions nor the address, and a loss of which
    /// nobody was told happened once or not at all.
    func reclaimsAreThere(_ logs: [CompanyLog]) async throws {
        var owners: [String: Set<String>] = [:], lost: [String] = [], losers: [UUID] = []
        for log in logs {
            for (employee, event) in log.registered {
                guard let email = log.said("email", of: employee), let user = event["data"]?["userId"]?.text else {
                    continue
                }
                owners[email, default: []].insert(user)
            }
            let reclaimed = log.events("EmailReclaimed")
            lost += reclaimed.compactMap { $0["data"]?["userId"]?.text }
            losers += reclaimed.compactMap { $0["data"]?["employeeId"]?.text }.compactMap { UUID(uuidString: $0) }
        }
        #expect(Set(losers).count == losers.count, "an address was taken twice from the same account; \(said)")
        #expect(owners.values.allSatisfy { $0.subtracting(lost).count <= 1 }, "an address has two owners; \(said)")
        let reclaims = await crowd.reclaims, accounts = await crowd.accounts
        for reclaim in reclaims where reclaim.position != nil {
            let log = try #require(logs.first { $0.company == reclaim.person.company })
            #expect(log.events.contains { $0["position"]?.number == reclaim.position }, "a reclaim is lost; \(said)")
            let account = accounts.first {
                $0.person.company == reclaim.person.company && $0.person.id == reclaim.person.id
            }
            let id = try #require(log.employee(at: account?.position).flatMap { UUID(uuidString: $0) })
            #expect(losers.contains(id), "\(reclaim.person.id) has not lost the address; \(said)")
        }
        #expect(losers.count <= reclaims.count, "more addresses were taken than anybody asked for; \(said)")
        let people = losers
        try await world.superuser { connection in
            let sessions = try await connection.query(
                "SELECT session_id FROM tenure.session WHERE employee_id = ANY (\(people))")
            #expect(sessions.isEmpty, "\(said)")
        }
    }

    /// Who changed a passphrase logs in with the new one and not with the old one; where nobody was told, one of two
    /// opens and the other one does not.
    func passphrasesAreWhatWasSaid(_ logs: [CompanyLog]) async throws {
        let client = await crowd.client(0), accounts = await crowd.accounts
        var looks = 0
        for (human, (current, perhaps)) in await crowd.passphrases where looks < 12 {
            guard let account = accounts.first(where: { $0.person.human == human }),
                let log = logs.first(where: { $0.company == account.person.company }),
                let employee = log.employee(at: account.position), !log.erased.contains(employee)
            else { continue }
            looks += 1
            let original = account.person.passphrase ?? ""
            var opens: [String: Bool] = [:]
            for passphrase in Set([original, current, perhaps ?? current]) {
                var person = account.person
                person.passphrase = passphrase
                opens[passphrase] = try await Self.opens(person, account.device, client)
            }
            if let perhaps {
                #expect(opens[current] == nil || opens[current] != opens[perhaps], "\(opens); \(said)")
            } else {
                #expect(opens[current] != false, "the changed passphrase does not open; \(said)")
                #expect(opens[original] != true, "a passphrase that was changed still opens; \(said)")
            }
        }
    }

    /// Whether a passphrase is right; nil where nobody is told, because the account is locked, cancelled or erased.
    private static func opens(_ person: Person, _ device: Device, _ client: Client) async throws -> Bool? {
        let reply = try await client.logIn(person, device)
        if reply.code == "passphrase.incorrect" { return false }
        return ["success", "authorizationPending"].contains(reply.outcome) ? true : nil
    }
}
