import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Looks up the causes that events name, and judges them by ``CauseTable``.
///
/// A cause needs the right type, person and device, and causes one event of a type. One that the tenant's ledger lacks
/// is looked up in its user's directory, which is read later; about one that a bundle does not hold nothing is said.
/// Events of an append have one time in a ledger, and a browser waits for at most 30 minutes. Older causes are
/// forgotten, so memory grows with the causes of 30 minutes and with the flows that were proved.
struct CauseTrail: Sendable {
    /// An event whose cause was not read yet: it follows in the same append, or lies in the user's directory.
    private struct Need: Sendable {
        let effect: CauseFacts, rule: CauseTable.Rule, violation: Violation
    }

    /// The causes, with the types of the events that named them. At a limit those that are too old are forgotten.
    private var causes: [UUID: (facts: CauseFacts, effects: [String])] = [:]
    private var limit = 1_024, last: Timestamp?
    private var needs: [UUID: [Need]] = [:], ofFlows: [String: Set<UUID>] = [:]
    /// The presentations of passkeys that their owners added.
    private var added: Set<UUID> = []
    /// The events of the present append whose effect must follow, and all events that lack a cause or an effect.
    private var awaited: [UUID: Violation] = [:], alone: [Violation] = []
    var releases = ReleaseTrail()

    /// Returns what is wrong with a tenant's event, or `nil`. The first one with its statement leads and causes it.
    mutating func follow(
        _ event: RecordedEvent, leader: UUID?, _ accounts: [EmployeeID: Employee.State]
    ) -> String? {
        if event.time != last {
            alone += awaited.values
            (awaited, last) = ([:], event.time)
        }
        let named = event.causes.filter { $0 != leader }
        // Such an event is judged in the directory of its user, and causes nothing elsewhere.
        if CauseTable.ofDirectories.contains(event.type) { return CauseTable.misplaced }
        guard CauseTable.types.contains(event.type) else { return named.isEmpty ? nil : CauseTable.wrong }
        var facts = CauseFacts(event)
        let account = facts.employee.flatMap { accounts[EmployeeID($0)] }
        facts.user = facts.user ?? account?.account?.user.uuid
        if CauseTable.isFurtherPasskey(event) { added.insert(event.id) }
        let authorized = event.type == EmployeeKeyAuthorized.type ? facts.key.flatMap { account?.key($0) } : nil
        let wasInForce = authorized?.authorizedAt.map { $0 < event.time } ?? false
        facts.isUnproved = wasInForce || added.contains(authorized?.presented.id ?? event.id)
        releases.follow(event, facts, accounts)
        let words = repeated(event, facts) ?? judge(event, facts, named, account)
        remember(event, facts)
        if words != nil { awaited[event.id] = nil }
        return words
    }

    private mutating func repeated(_ event: RecordedEvent, _ facts: CauseFacts) -> String? {
        if let words = CauseTable.firsts[event.type], event.streamVersion > 1 || !CauseTable.isInPlace(event) {
            return words
        }
        guard let words = CauseTable.onceInFlow[event.type], let flow = facts.flow else { return nil }
        // A challenge that a passkey logged in with presents no other.
        if event.type == EmployeeKeyPresented.type, ofFlows[PasskeyValidated.type]?.contains(flow) == true {
            return CauseTable.passkeyRepeated
        }
        return ofFlows[event.type, default: []].insert(flow).inserted ? nil : words
    }

    /// Returns what is wrong with the names of an event: one cause for each rule that demands it, and no others.
    private mutating func judge(
        _ event: RecordedEvent, _ facts: CauseFacts, _ named: [UUID], _ account: Employee.State?
    ) -> String? {
        if CauseTable.ofSessions.contains(event.type) { return nil }
        if CauseTable.isFurtherPasskey(event) { return nil }
        var rules = CauseTable.rules(of: event.type, event.data), isWrong = false
        for id in named {
            let rule = rules.firstIndex { take(id, event, facts, $0) }
            if let rule { rules.remove(at: rule) } else { isWrong = true }
        }
        if let words = rules.lazy.compactMap(\.words).first ?? (isWrong ? CauseTable.wrong : nil) {
            guard CauseTable.inDirectories.contains(words) else { return words }
            alone.append(violation(event, words))
            return nil
        }
        let isFurther =
            event.type == DeviceMailConfirmed.type && account?.keys.values.contains { $0.authorized != nil } == true
        return isFurther && causes[named[0]]?.facts.type == EmployeeKeyPresented.type ? CauseTable.chosenSecret : nil
    }

    /// Takes a cause that an event names by a rule, and returns whether it may.
    private mutating func take(
        _ id: UUID, _ event: RecordedEvent, _ effect: CauseFacts, _ rule: CauseTable.Rule
    ) -> Bool {
        if let cause = causes[id] {
            guard rule.permits(cause.facts, for: effect), !cause.effects.contains(event.type) else { return false }
            causes[id]?.effects.append(event.type)
            if CauseTable.effects[cause.facts.type]?.type == event.type { awaited[id] = nil }
            return true
        }
        guard let words = rule.words, CauseTable.inDirectories.contains(words),
            needs[id]?.contains(where: { $0.effect.effect == effect.effect }) != true
        else { return false }
        needs[id, default: []].append(Need(effect: effect, rule: rule, violation: violation(event, words)))
        return true
    }

    private mutating func remember(_ event: RecordedEvent, _ facts: CauseFacts) {
        guard CauseTable.kept.contains(event.type) else { return }
        let open = needs.removeValue(forKey: event.id) ?? []
        alone += open.filter { !$0.rule.permits(facts, for: $0.effect) }.map(\.violation)
        if let effect = CauseTable.effects[event.type], !open.contains(where: { $0.effect.type == effect.type }) {
            awaited[event.id] = violation(event, effect.words)
        }
        causes[event.id] = (facts, open.map(\.effect.type))
        guard causes.count > limit else { return }
        causes = causes.filter { event.time <= $0.value.facts.time.adding(CauseTable.wait) }
        limit = max(1_024, causes.count * 2)
    }

    private func violation(_ event: RecordedEvent, _ words: String) -> Violation {
        Violation(.signature, ledger: event.ledger, position: event.position, words)
    }

    /// Notes that a tenant's ledger was read completely.
    mutating func complete(_ company: LedgerID) {
        alone += awaited.values
        (causes, ofFlows, awaited, added) = ([:], [:], [:], [])
        releases.complete(company, last)
    }

    /// The events without a cause or an effect, after a tenant's ledger was read.
    var unresolved: [Violation] { alone.sorted { ($0.position ?? 0) < ($1.position ?? 0) } }

    /// Takes an event of a directory, and returns what is wrong with it or `nil`.
    mutating func match(_ event: RecordedEvent) -> String? {
        if let open = needs[event.id] {
            let facts = CauseFacts(event)
            var types: Set<String> = []
            needs[event.id] = open.filter {
                !$0.rule.permits(facts, for: $0.effect, elsewhere: true) || !types.insert($0.effect.effect).inserted
            }
        }
        return releases.match(event)
    }

    mutating func merge(_ other: CauseTrail) {
        needs.merge(other.needs) { $0 + $1 }
        releases.merge(other.releases)
    }

    /// The users whose directories must have the causes.
    var users: Set<UUID> { releases.users.union(needs.values.joined().compactMap(\.effect.user)) }

    /// The part that concerns one directory.
    func part(of directory: LedgerID) -> CauseTrail {
        var part = self
        part.needs = needs.compactMapValues { needs in
            let own = needs.filter { $0.effect.user.map { .directory(of: UserID($0)) } == directory }
            return own.isEmpty ? nil : own
        }
        part.releases = releases.part(of: directory)
        return part
    }

    /// The events without a cause, after a whole directory was read.
    var violations: [Violation] {
        let found = needs.values.joined().map(\.violation) + releases.violations
        return found.sorted { ($0.position ?? 0) < ($1.position ?? 0) }
    }
}
