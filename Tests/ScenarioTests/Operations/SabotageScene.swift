import Canonical
import FoundationEssentials
import IdentityService
import Ledger
import Postgres
import Testing

/// A small lawful history with something of everything that a randomised run does, and a way to break each invariant.
struct SabotageScene: Sendable {
    static let company = "broken.example"

    let invariants: RandomisedInvariants
    private let world: TenureWorld
    private let crowd = Crowd([])
    private let founder: Member
    private let member: Member
    /// The ids of the erased employee and user.
    private let erased: [UUID]
    /// The id of the employee who is erased.
    private let leaver: UUID

    init(_ world: TenureWorld, _ pool: PostgresPool) async throws {
        self.world = world
        let client = try world.client
        await crowd.use(client)
        invariants = RandomisedInvariants(world: world, crowd: crowd, follower: FeedFollower(pool: pool))
        founder = try await client.found(Self.company)
        member = try await client.join(Person("second", at: Self.company))
        let leaving = try await client.join(Person("third", at: Self.company))
        let abroad = try await client.found("elsewhere.example")
        for one in [founder, member, leaving, abroad] { await crowd.acknowledged(one) }
        try await Self.reclaim(by: founder, world, crowd)
        try await Self.guessAndChange(member, client, crowd)
        erased = try await world.erase(leaving.person).map(\.id)
        await crowd.erasing(erased, done: true)
        let events = try await client.events(Self.company, "type=EmployeeErased")
        leaver = try #require(events.first?["data"]?["employeeId"]?.text.flatMap { UUID(uuidString: $0) })
    }

    /// One address is taken back, and somebody else registers with it.
    private static func reclaim(by founder: Member, _ world: TenureWorld, _ crowd: Crowd) async throws {
        let client = try world.client
        try await world.confirmDomain(of: company)
        var person = Person("loser", at: company, email: "loser@\(company)")
        person.isCompanyOwnedEmail = true
        await crowd.acknowledged(try await client.join(person))
        let reply = try await client.signed(
            by: founder, "POST", client.path(company, "/reclaimed-emails"),
            ["email": .string(person.email), "reason": "has left us"])
        expectOutcome(reply, "done")
        await crowd.reclaimed(Crowd.Reclaim(person: person, position: reply["position"]?.number))
        var heir = Person("heir", at: company, email: person.email)
        heir.isCompanyOwnedEmail = true
        await crowd.acknowledged(try await client.join(heir))
    }

    /// Two wrong guesses from unknown devices, and then another passphrase.
    private static func guessAndChange(_ member: Member, _ client: Client, _ crowd: Crowd) async throws {
        for _ in 0..<2 {
            let device = Device()
            let flow = try await Flow.logIn(member.person, device, client)
            expectOutcome(try await flow.prove(device), "validatePassphrase")
            let reply = try await flow.step("passphrase", ["passphrase": "a wrong passphrase"])
            try expectProblem(reply, "passphrase.incorrect", goesOn: true)
            await crowd.guessed(member.person)
        }
        var new = member.person
        let passphrase = "Changed \(Person.word()) horse \(Person.word())"
        new.passphrase = passphrase
        expectOutcome(try await client.change(member.person, to: new, member.device), "success")
        await crowd.changed(member.person, to: passphrase, acknowledged: true)
    }

    /// Breaks an invariant and returns a part of what must be found. There is one for each invariant.
    func sabotage(_ invariant: RandomisedInvariant) async throws -> String {
        switch invariant {
        case .erasedPeopleLeaveNothing:
            try await run("DELETE FROM tenure.event WHERE type = 'EmployeeErased'")
            return "no end of \(leaver.uuidString.lowercased())"
        case .nobodyElseIsErased:
            try await run("DELETE FROM tenure.person_key")
            return "no key of"
        case .erasedNamesAreUnreadable: return try await sayThatAnotherIsErased()
        case .ledgersHaveNoGaps:
            try await run("DELETE FROM tenure.event WHERE position = 3")
            return "ledger"
        case .registrationsAreThereOnce:
            await crowd.acknowledged(
                Crowd.Account(person: Person("ghost", at: Self.company), device: Device(), position: 10_000))
            return "ghost is lost"
        case .nobodyElseIsRegistered:
            _ = try await world.client.register(Person("stranger", at: Self.company), Device())
            return "stranger of \(Self.company)"
        case .foundersAreSecurityAdmins:
            try await run("DELETE FROM tenure.first_security_admins")
            return "the security admin of \(Self.company) is nobody"
        case .reclaimsAreThereOnce:
            await crowd.reclaimed(Crowd.Reclaim(person: member.person, position: 1))
            return "second has not lost the address"
        case .addressesHaveOneOwner:
            try await run("DELETE FROM tenure.event WHERE type = 'EmailReclaimed'")
            return "loser@\(Self.company) has two owners"
        case .passphrasesAreWhatWasSaid:
            await crowd.changed(member.person, to: "a passphrase that was never set", acknowledged: true)
            return "the new passphrase of second does not open"
        case .guessesAreWithinTheLimit:
            for _ in 0..<9 { await crowd.guessed(member.person) }
            return "11 wrong guesses, and 10 are allowed"
        case .guessesAreCharged:
            try await run("DELETE FROM tenure.event WHERE type = 'AttemptCharged'")
            return "2 wrong guesses were answered, and 0 charged"
        case .devicesAreThoseOfTheLog:
            try await run("DELETE FROM tenure.claim WHERE kind = 'device'")
            return "no claim of"
        case .viewsAreTheFold:
            try await run("UPDATE tenure.employees SET is_approved = NOT is_approved")
            return "employees"
        case .tenantsAreApart:
            try await run("ALTER TABLE tenure.event DISABLE ROW LEVEL SECURITY")
            return "sees"
        case .feedIsComplete:
            try await run("UPDATE tenure.event SET event_id = gen_random_uuid() WHERE position = 2")
            return try await world.ledger(Self.company).description
        }
    }

    private func run(_ damage: String) async throws {
        try await world.superuser { connection in try await connection.executeScript(damage) }
    }

    /// The event that says who is erased names the second employee, whose name can still be read.
    private func sayThatAnotherIsErased() async throws -> String {
        let registered = try await world.client.events(Self.company, "type=EmployeeRegistered")
        let second = registered.first { $0["data"]?["companyEmployeeId"]?.text == member.person.id }
        let id = try #require(second?["data"]?["employeeId"]?.text)
        let old = leaver.uuidString.lowercased()
        _ = try await world.rewrite(
            """
            UPDATE tenure.event SET entry = convert_to(replace(convert_from(entry, 'UTF8'),
                '"employeeId":"' || \(old) || '"', '"employeeId":"' || \(id) || '"'), 'UTF8') WHERE type = 'EmployeeErased'
            """)
        return id
    }
}

extension Crowd {
    /// Somebody who registered and logged in.
    fileprivate func acknowledged(_ member: Member) async {
        acknowledged(Account(person: member.person, device: member.device, position: member.position))
    }
}
