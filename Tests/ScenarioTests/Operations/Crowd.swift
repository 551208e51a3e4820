import Canonical
import Foundation
import FoundationEssentials
import Postgres
import TestSupport

/// Who was there in a randomised run, and what they were told.
actor Crowd {
    /// Somebody whose registration was acknowledged.
    struct Account: Sendable {
        var person: Person
        var device: Device
        var position: Int64
    }

    /// Addresses that were taken back, with who had them before.
    struct Reclaim: Sendable {
        var person: Person
        /// Nil when the answer never came: it happened once or not at all.
        var position: Int64?
    }

    private(set) var processes: [ServiceProcess]
    private(set) var accounts: [Account] = []
    /// Registrations whose answer never came: there, or not there, but never twice.
    private(set) var unknown: [Person] = []
    /// How many wrong guesses were answered as wrong, for each credential, named by its passphrase.
    private(set) var wrong: [String: Int] = [:]
    private(set) var reclaims: [Reclaim] = []
    /// The ids of people and accounts whose erasure was begun, and whether it was told to be done.
    private(set) var erasures: [UUID: Bool] = [:]
    /// The passphrases of who changed it: the one that was acknowledged last, and one whose answer never came.
    private(set) var passphrases: [String: (current: String, perhaps: String?)] = [:]
    private(set) var counts: [String: Int] = [:]
    /// Who is being changed, reclaimed or erased, or was: by the human.
    private var taken: Set<String> = []

    init(_ processes: [ServiceProcess]) { self.processes = processes }

    /// A client beside those of the processes.
    private var other: Client?

    func use(_ client: Client) { other = client }
    func client(_ number: Int) -> Client { other ?? processes[number % processes.count].client }
    func process(_ number: Int) -> ServiceProcess { processes[number % processes.count] }
    func replace(_ number: Int, by process: ServiceProcess) { processes[number % processes.count] = process }
    func count(_ what: String) { counts[what, default: 0] += 1 }
    func unanswered(_ person: Person) { unknown.append(person) }
    func guessed(_ person: Person) { wrong[person.passphrase ?? "", default: 0] += 1 }

    /// Somebody by a number, of one company where one is named.
    func account(_ number: Int, of company: String? = nil) -> Account? {
        let candidates = accounts.filter { company == nil || $0.person.company == company }
        return candidates.isEmpty ? nil : told(candidates[number % candidates.count])
    }

    /// Somebody for a step that only one actor may do to a human at a time; nil when another one does.
    func take(_ number: Int, of company: String? = nil) -> Account? {
        guard let account = account(number, of: company), taken.insert(account.person.human).inserted else {
            return nil
        }
        return account
    }

    /// The human may be taken again.
    func giveBack(_ account: Account) { taken.remove(account.person.human) }

    func acknowledged(_ account: Account) { accounts.append(account) }

    /// Credentials were changed, or nobody knows.
    func changed(_ person: Person, to passphrase: String, acknowledged: Bool) {
        let current = passphrases[person.human]?.current ?? person.passphrase ?? ""
        passphrases[person.human] = acknowledged ? (passphrase, nil) : (current, passphrase)
    }

    func reclaimed(_ reclaim: Reclaim) { reclaims.append(reclaim) }

    /// An address that was taken back from somebody, by a number: free for somebody else.
    func freeAddress(_ number: Int) -> String? {
        let free = reclaims.filter { $0.position != nil }
        return free.isEmpty ? nil : free[number % free.count].person.email
    }

    func erasing(_ ids: [UUID], done: Bool) { for id in ids { erasures[id] = done } }

    /// The account with the passphrase that the human has now.
    private func told(_ account: Account) -> Account {
        var account = account
        if let known = passphrases[account.person.human] { account.person.passphrase = known.current }
        return account
    }
}

extension Person {
    /// What is the same for all accounts of one human, whatever is changed or taken away: the first answer.
    var human: String { questions[0].answer }
}

/// What is broken on purpose during a randomised run, one thing after the other.
struct Disturbances: Sendable {
    let cluster: ThrowawayCluster
    let world: TenureWorld
    let crowd: Crowd
    /// Before the server; the first process goes through it.
    let proxy: CuttingProxy

    /// Breaks something and returns when the server answers again; the processes may take longer.
    func take(_ disturbance: PlannedDisturbance) async throws {
        switch disturbance.kind {
        case .processKilled:
            let next = try await crowd.process(disturbance.number).replaced()
            await crowd.replace(disturbance.number, by: next)
        case .sessionsEnded: try await endSessions(disturbance.number)
        case .connectionsCut: proxy.cutConnections()
        case .commitLost: proxy.cutNext(.before, count: 1 + disturbance.number % 2)
        case .answerLost: proxy.cutNext(.after, count: 1 + disturbance.number % 2)
        case .backendKilled: try await killBackend()
        case .serverStopped: try await cluster.crash(.stopped)
        case .serverKilled: try await cluster.crash(.killed)
        }
        await crowd.count("\(disturbance.kind)")
    }

    /// Some of the sessions at the server; which of them follows from the number as far as sessions are the same.
    private func endSessions(_ number: Int) async throws {
        let name = world.database.name, salt = String(number)
        try await world.superuser { connection in
            _ = try await connection.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = \(name) AND pid <> pg_backend_pid()
                ORDER BY md5(row_number() OVER (ORDER BY backend_start) || \(salt)) LIMIT 5
                """)
        }
    }

    /// A connection of our own is sacrificed; the server is not told which session broke its shared memory.
    private func killBackend() async throws {
        let victim = try await world.database.connect(as: .superuser)
        let before = try await writer()
        cluster.crash(backend: victim.processID)
        for _ in 0..<1_200 {
            if let now = try? await writer(), now != before { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TestServerError(description: "the server did not notice that it was broken")
    }

    /// The process that writes checkpoints: another one after every recovery.
    private func writer() async throws -> Int32? {
        try await world.superuser { connection in
            try await connection.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'").first?
                .decode(Int32.self)
        }
    }

    /// Ends all damage and waits until both processes serve again, which they must do by themselves.
    func end() async throws {
        proxy.cutNext(.before, count: 0)
        for number in 0..<2 {
            let client = await crowd.client(number)
            var isReady = false
            for _ in 0..<600 where !isReady {
                let reply = try? await client.send(HTTPRequest("GET", "/readyz"))
                isReady = reply?.status == 200
                if !isReady { try await Task.sleep(for: .milliseconds(100)) }
            }
            guard isReady else { throw TestServerError(description: "process \(number) did not come back") }
        }
    }
}
