import Canonical
import FoundationEssentials
import IdentityService
import Keys
import Postgres
import Testing

/// What must hold of people whose erasure was begun in a randomised run, however it was interrupted.
extension RandomisedInvariants {
    /// Finishes erasures as an operator would, and finds everybody erased who was meant, and nobody else; gives back what
    /// the API says of each company once it says nothing of them.
    func erasuresAreWhole() async throws -> [CompanyLog] {
        let done = await crowd.erasures.filter(\.value).map(\.key)
        // Whoever was told that it is done need not finish anything.
        try await expectErased(Set(done))
        _ = try await world.erasing { try await $0.resume() }
        let list = world.eraseList
        _ = try await world.erasing { try await $0.reapply(try list.read()) }
        let listed = Set(try list.read().map(\.id))
        #expect(listed.isSuperset(of: done), "\(said)")
        try await expectErased(listed)
        try await expectNobodyElseErased(listed)
        return try await logs()
    }

    /// No key, no session, no claim, and the event once.
    private func expectErased(_ people: Set<UUID>) async throws {
        let ids = Array(people)
        try await world.superuser { connection in
            let left = try await connection.query(
                """
                SELECT 'key ' || key_id FROM tenure.person_key WHERE key_id = ANY (\(ids))
                UNION ALL SELECT 'session of ' || employee_id FROM tenure.session WHERE employee_id = ANY (\(ids))
                UNION ALL SELECT kind || ' of ' || owner FROM tenure.claim
                    WHERE kind IN ('member', 'email', 'device') AND owner = ANY (\(ids))
                UNION ALL SELECT 'no end of ' || id FROM unnest(\(ids)::uuid[]) AS id WHERE 1 <> (
                    SELECT count(*) FROM tenure.event
                    WHERE stream_id = id AND type IN ('EmployeeErased', 'UserErased'))
                """)
            #expect(try left.map { try $0.decode(String.self) } == [], "\(said)")
        }
    }

    /// Everybody else has a key, and no event says otherwise.
    private func expectNobodyElseErased(_ listed: Set<UUID>) async throws {
        let ids = Array(listed)
        try await world.superuser { connection in
            let wrong = try await connection.query(
                """
                SELECT type || ' of ' || stream_id FROM tenure.event
                WHERE type IN ('EmployeeErased', 'UserErased') AND stream_id <> ALL (\(ids))
                UNION ALL SELECT 'no key of ' || e.stream_id FROM tenure.event AS e
                WHERE e.type IN ('EmployeeRegistered', 'CredentialsSet') AND e.stream_id <> ALL (\(ids))
                    AND NOT EXISTS (SELECT FROM tenure.person_key AS p WHERE p.key_id = e.stream_id)
                """)
            #expect(try wrong.map { try $0.decode(String.self) } == [], "\(said)")
        }
    }

    /// The companies of everybody who registered or tried to; processes keep keys for seconds, so names may take a while
    /// to go.
    private func logs() async throws -> [CompanyLog] {
        let client = await crowd.client(0)
        let people = await crowd.accounts.map(\.person) + crowd.unknown
        var logs: [CompanyLog] = []
        for company in Set(people.map(\.company)).sorted() {
            // A company may never have come to be, when the answers to all of its registrations were lost.
            let page = try await client.get(client.path(company, "/events"))
            if page.code == "company.unknown" { continue }
            var log = CompanyLog(company, try await client.events(company))
            for _ in 0..<300 where !log.legible.isEmpty {
                try await Task.sleep(for: .milliseconds(200))
                log = CompanyLog(company, try await client.events(company))
            }
            #expect(log.legible == [], "erased, and still to be read; \(said)")
            logs.append(log)
        }
        return logs
    }
}
