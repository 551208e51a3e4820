import Canonical

/// Who was there in a randomised run, and what they were told.
actor Crowd {
    /// Somebody whose registration was acknowledged.
    struct Account: Sendable {
        var person: Person
        var device: Device
        var position: Int64
    }

    private(set) var processes: [ServiceProcess]
    private(set) var accounts: [Account] = []
    /// Registrations whose answer never came: there, or not there, but never twice.
    private(set) var unknown: [Person] = []
    /// How many wrong guesses were answered as wrong, for each person.
    private(set) var wrong: [String: Int] = [:]
    private(set) var counts: [String: Int] = [:]

    init(_ processes: [ServiceProcess]) { self.processes = processes }

    /// A client beside those of the processes.
    private var other: Client?

    func use(_ client: Client) { other = client }
    func client(_ number: Int) -> Client { other ?? processes[number % processes.count].client }
    func account(_ number: Int) -> Account? { accounts.isEmpty ? nil : accounts[number % accounts.count] }
    func process(_ number: Int) -> ServiceProcess { processes[number % processes.count] }
    func replace(_ number: Int, by process: ServiceProcess) { processes[number % processes.count] = process }
    func acknowledged(_ account: Account) { accounts.append(account) }
    func unanswered(_ person: Person) { unknown.append(person) }
    func guessed(_ person: Person) { wrong["\(person.company)/\(person.id)", default: 0] += 1 }
    func count(_ what: String) { counts[what, default: 0] += 1 }
}
