import Canonical
import FoundationEssentials
import IdentityService
import Keys
import Postgres

/// What must hold of the people of a randomised run.
extension RandomisedInvariants {
    /// What the API says of the companies of everybody who registered or tried to. A company may never have come to be,
    /// when the replies to all of its registrations were lost.
    func logs() async throws -> [CompanyLog] {
        let client = await crowd.client(0)
        let people = await crowd.accounts.map(\.person) + crowd.unknown
        var logs: [CompanyLog] = []
        for company in Set(people.map(\.company)).sorted() {
            if try await client.get(client.path(company, "/events")).code == "company.unknown" { continue }
            logs.append(CompanyLog(company, try await client.events(company)))
        }
        return logs
    }

    func lostRegistrations() async throws -> [String] {
        let logs = try await logs()
        var found: [String] = []
        for log in logs {
            let ids = log.registered.keys.compactMap { log.said("companyEmployeeId", of: $0) }
            if log.registered.count != log.events("EmployeeRegistered").count || Set(ids).count != ids.count {
                found.append("an employee of \(log.company) is registered twice")
            }
        }
        for account in await crowd.accounts {
            let log = logs.first { $0.company == account.person.company }
            guard let log, let employee = log.employee(at: account.position) else {
                found.append("\(account.person.id) is lost")
                continue
            }
            let name = log.said("companyEmployeeId", of: employee)
            if !log.erased.contains(employee), name != account.person.id {
                found.append("\(account.person.id) is \(name ?? "nobody")")
            }
        }
        return found
    }

    func unknownRegistrations() async throws -> [String] {
        let people = await crowd.accounts.map(\.person) + crowd.unknown
        return try await logs().flatMap { log in
            let known = Set(people.filter { $0.company == log.company }.map(\.id))
            let ids = log.registered.keys.compactMap { log.said("companyEmployeeId", of: $0) }
            return Set(ids).subtracting(known).map { "\($0) of \(log.company)" }
        }
    }

    func missingSecurityAdmins() async throws -> [String] {
        let client = await crowd.client(0)
        var found: [String] = []
        for log in try await logs() {
            let first = log.events.first, last = log.events.last?["position"]?.number
            guard first?["position"]?.number == 1, first?["type"]?.text == "EmployeeRegistered" else {
                found.append("\(log.company) begins with another event")
                continue
            }
            let admin = try await client.get(client.path(log.company, "/security-admin"), at: last)
            let name = admin["employee"]?["companyEmployeeId"]?.text
            if name == nil || name != first?["data"]?["companyEmployeeId"]?.text {
                found.append("the security admin of \(log.company) is \(name ?? "nobody")")
            }
        }
        return found
    }

    func lostReclaims() async throws -> [String] {
        let logs = try await logs(), reclaims = await crowd.reclaims, accounts = await crowd.accounts
        let taken = logs.flatMap { $0.events("EmailReclaimed") }.compactMap { $0["data"] }
        let losers = taken.compactMap { $0["employeeId"]?.text.flatMap { UUID(uuidString: $0) } }
        var found: [String] = []
        if Set(losers).count != losers.count { found.append("an address was taken twice from the same account") }
        // One reclaim takes the address from all accounts that its user has in the company.
        let users = Set(taken.compactMap { $0["userId"]?.text })
        if users.count > reclaims.count { found.append("more addresses were taken than anybody asked for") }
        for reclaim in reclaims where reclaim.position != nil {
            let log = logs.first { $0.company == reclaim.person.company }
            let account = accounts.first {
                $0.person.company == reclaim.person.company && $0.person.id == reclaim.person.id
            }
            let id = log?.employee(at: account?.position).flatMap { UUID(uuidString: $0) }
            let isThere = log?.events.contains { $0["position"]?.number == reclaim.position } == true
            if !isThere || !losers.contains(where: { $0 == id }) {
                found.append("\(reclaim.person.id) has not lost the address")
            }
        }
        return try await found
            + texts(
                "SELECT 'session of ' || employee_id FROM tenure.session WHERE employee_id = ANY (\(losers))")
    }

    func sharedAddresses() async throws -> [String] {
        let logs = try await logs()
        var owners: [String: Set<String>] = [:], lost: Set<String> = []
        for log in logs {
            for (employee, event) in log.registered {
                if let email = log.said("email", of: employee), let user = event["data"]?["userId"]?.text {
                    owners[email, default: []].insert(user)
                }
            }
            lost.formUnion(log.events("EmailReclaimed").compactMap { $0["data"]?["userId"]?.text })
        }
        return owners.filter { $0.value.subtracting(lost).count > 1 }.map { "\($0.key) has two owners" }
    }

    /// Where the reply to a change was lost, one of two passphrases opens and the other one does not.
    func wrongPassphrases() async throws -> [String] {
        let client = await crowd.client(0), accounts = await crowd.accounts, logs = try await logs()
        var looks = 0, found: [String] = []
        for (human, (current, perhaps)) in await crowd.passphrases where looks < 12 {
            guard let account = accounts.first(where: { $0.person.human == human }),
                let log = logs.first(where: { $0.company == account.person.company }),
                let employee = log.employee(at: account.position), !log.erased.contains(employee),
                !log.released.contains(employee)
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
                if opens[current] != nil, opens[current] == opens[perhaps] {
                    found.append("\(account.person.id) has two passphrases or none")
                }
            } else {
                if opens[current] == false { found.append("the new passphrase of \(account.person.id) does not open") }
                if current != original, opens[original] == true {
                    found.append("the old passphrase of \(account.person.id) opens")
                }
            }
        }
        return found
    }

    /// Whether a passphrase is right; `nil` where nobody is told, because the account is locked, cancelled or erased.
    private static func opens(_ person: Person, _ device: Device, _ client: Client) async throws -> Bool? {
        let reply = try await client.logIn(person, device)
        if reply.code == "passphrase.incorrect" { return false }
        return ["success", "authorizationPending"].contains(reply.outcome) ? true : nil
    }

    /// All guesses come from unknown devices through one app, so its share is the limit.
    func guessesAboveTheLimit() async -> [String] {
        let rules = BudgetRules()
        let limit = rules.unknownAppLimit + Seeded.seconds / rules.unknownRefillSeconds
        return await crowd.wrong.values.filter { $0 > limit }.map { "\($0) wrong guesses, and \(limit) are allowed" }
    }

    func unchargedGuesses() async throws -> [String] {
        let charged = try await world.count("AttemptCharged"), answered = await crowd.wrong.values.reduce(0, +)
        return charged < answered ? ["\(answered) wrong guesses were answered, and \(charged) charged"] : []
    }
}

/// What must hold of people whose erasure was begun in a randomised run, however it was interrupted.
extension RandomisedInvariants {
    /// Finishes all erasures that were begun.
    func finishErasures() async throws {
        _ = try await world.erasing { try await $0.resume() }
        let list = world.eraseList
        _ = try await world.erasing { try await $0.reapply(try list.read()) }
    }

    /// Everybody on the erase list, once erasures are finished; before that, whoever's erasure was told to be done.
    func leftOfErasedPeople(isFinished: Bool = true) async throws -> [String] {
        let done = Set(await crowd.erasures.filter(\.value).map(\.key))
        let listed = Set(try world.eraseList.read().map(\.id))
        let ids = Array(isFinished ? listed.union(done) : done)
        let unlisted = done.subtracting(listed).map { "\($0) is not on the erase list" }
        return try await unlisted
            + texts(
                """
                SELECT 'key ' || key_id FROM tenure.person_key WHERE key_id = ANY (\(ids))
                UNION ALL SELECT 'session of ' || employee_id FROM tenure.session WHERE employee_id = ANY (\(ids))
                UNION ALL SELECT kind || ' of ' || owner FROM tenure.claim
                    WHERE kind IN ('member', 'address', 'device') AND owner = ANY (\(ids))
                UNION ALL SELECT 'no end of ' || id FROM unnest(\(ids)::uuid[]) AS id WHERE 1 <> (
                    SELECT count(*) FROM tenure.event
                    WHERE stream_id = id AND type IN ('EmployeeErased', 'UserErased'))
                """)
    }

    func erasedByMistake() async throws -> [String] {
        let ids = try world.eraseList.read().map(\.id)
        return try await texts(
            """
            SELECT type || ' of ' || stream_id FROM tenure.event
            WHERE type IN ('EmployeeErased', 'UserErased') AND stream_id <> ALL (\(ids))
            UNION ALL SELECT 'no key of ' || e.stream_id FROM tenure.event AS e
            WHERE e.type IN ('EmployeeRegistered', 'CredentialsSet') AND e.stream_id <> ALL (\(ids))
                AND NOT EXISTS (SELECT FROM tenure.person_key AS p WHERE p.key_id = e.stream_id)
            """)
    }

    /// Processes keep keys for seconds, so names may take a while to go.
    func readableNames() async throws -> [String] {
        try await patiently { try await logs().flatMap(\.legible) }
    }
}
