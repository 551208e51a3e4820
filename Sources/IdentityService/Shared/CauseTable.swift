import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The events that may cause others. An event names its causes in its envelope.
///
/// A cause is an event of the same append, or one that the payload names anyway. ``EventRecorder`` names what the table
/// finds in the append, use cases name earlier events, and ``CauseTrail`` holds the names against the same table.
enum CauseTable {
    /// One cause of an event.
    struct Rule: Sendable {
        /// The types that the cause may have; if an append has several, the first one is named.
        let types: [String]
        /// How much earlier the cause may be; zero for an event of the same append, `nil` for any time.
        var age: Duration? = .zero
        /// Whether cause and effect are about the same account.
        var isOfPerson = true
        /// What is wrong with an event without the cause; `nil` for a cause that it may lack.
        var words: String?
        /// Whether a device key counts only if a secret was proved or chosen when it was presented.
        var needsSecret = false
        /// Whether the rule concerns an event with these members.
        var concerns: @Sendable (JSONValue) -> Bool = { _ in true }

        /// Whether an event may name a cause. The times of different ledgers say nothing about each other.
        func permits(_ cause: CauseFacts, for effect: CauseFacts, elsewhere: Bool = false) -> Bool {
            let isInTime = age.map { cause.time <= effect.time && effect.time <= cause.time.adding($0) } ?? true
            return types.contains(cause.type) && !cause.follows && (elsewhere || isInTime)
                && !(needsSecret && cause.isUnproved) && (!isOfPerson || cause.agrees(with: effect))
        }
    }

    static let uncausedKey = "a device key is presented without a registration, a log-in or a recovery"
    static let uncausedSession = "a session is opened without a log-in"
    static let uncausedRelease = "an address is released without a decision of the company"
    static let uncausedGivingWay = "an address gives way without the proof of its mailbox in the same append"
    static let uncausedChange = "an address changes without a signed decision of its user in the same append"
    static let uncausedFollowing = "an account takes over an address that its user did not change in the same append"
    static let openChange = "an address changes a second time while the first change can be undone"
    static let wrongUndo = "a change of an address gives the former one another right than it has"
    static let lateUndo = "a change of an address is undone that cannot be undone any more"
    static let vouchedLost = "an address gives way that is confirmed, or whose holder somebody vouched for"
    static let keptPIN = "an M-Pin identity ends for an address that did not give way"
    static let uninvited = "the employee id is released for an invitation that was not used"
    static let unproved = "a wait ends whose flow was not proved with that key in the 30 minutes before"
    static let unprovedMail =
        "a device is confirmed by mail whose flow was not proved with that key in the 30 minutes before"
    static let keyless = "an account is registered without a device key"
    static let sessionless = "a wait ends without the session that it names"
    static let unvouched = "a device is confirmed by mail, and no app authorizes its key with that"
    static let passkeyAlone = "a passkey logs in, and no session is opened"
    static let passkeyRepeated = "the challenge of a passkey is answered a second time"
    static let chosenSecret = "a mail confirms a further device key, and its flow proved no secret"
    static let misplaced = "an event of a user's credentials is in the ledger of a company"
    /// What is wrong with names that no other words fit.
    static let wrong = "the event names no cause that it must have, or one that it cannot have"

    /// The events by which a flow proves a secret.
    static let proofs = [AnswersValidated.type, PassphraseValidated.type, MPinValidated.type]

    /// The events that may release an address.
    static let releasing = [EmailReclaimed.type, AddressReclaimed.type, EmployeeIdReleased.type]

    /// How long a browser waits after the proof of its flow.
    static let wait = Duration.seconds(1_800)

    private static let rules: [String: [Rule]] = [
        EmployeeKeyPresented.type: [
            Rule(
                types: proofs + [CredentialsSet.type, CredentialsChanged.type, JoinedByPasskey.type], words: uncausedKey
            ),
            Rule(types: [EmployeeRegistered.type]) { $0["first"] == true },
        ],
        EmployeeKeyAuthorized.type: [
            Rule(types: [EmployeeKeyPresented.type], words: wrong) { $0["by"]?["kind"] == "founding" },
            Rule(types: [DeviceMailConfirmed.type]) { $0["by"]?["kind"] == "app" },
            Rule(types: [EmployeeKeyPresented.type], age: wait) { $0["by"]?["kind"] == "app" },
        ],
        SessionOpened.type: [
            Rule(
                types: proofs + [
                    EmployeeRegistered.type, WaitEnded.type, ReturnCompleted.type, EmployeeKeyAuthorized.type,
                    CredentialsChanged.type, PasskeyValidated.type,
                ], words: uncausedSession, needsSecret: true)
        ],
        WaitEnded.type: [
            Rule(types: proofs + [EmployeeKeyPresented.type], age: wait, words: unproved, needsSecret: true)
        ],
        DeviceMailConfirmed.type: [
            Rule(types: proofs + [EmployeeKeyPresented.type], age: wait, words: unprovedMail, needsSecret: true)
        ],
        BrowserSessionOpened.type: [Rule(types: [SessionOpened.type], age: nil, words: wrong)],
        GrantOpened.type: [Rule(types: [SessionOpened.type], age: nil, words: wrong)],
        SessionClosed.type: [Rule(types: [SessionOpened.type], words: wrong) { $0["reason"] == "replaced" }],
        EmployeeIdReleased.type: [
            Rule(types: [InvitationUsed.type], isOfPerson: false, words: uninvited) { $0["reason"] == "invited" }
        ],
        EmailReleased.type: [Rule(types: releasing, words: uncausedRelease)],
        EmailChanged.type: [Rule(types: [EmployeeEmailChanged.type], words: uncausedChange)],
        EmployeeEmailChanged.type: [
            Rule(types: [EmailChanged.type, EmailChangeUndone.type], words: uncausedFollowing) {
                $0["by"]?["kind"] == "policy"
            }
        ],
        EmailGaveWay.type: [Rule(types: [EmailVerified.type], isOfPerson: false, words: uncausedGivingWay)],
    ]

    /// The events that have to cause one of a type in their append, with what is wrong without it.
    static let effects: [String: (type: String, words: String)] = [
        EmployeeRegistered.type: (EmployeeKeyPresented.type, keyless),
        WaitEnded.type: (SessionOpened.type, sessionless),
        DeviceMailConfirmed.type: (EmployeeKeyAuthorized.type, unvouched),
        PasskeyValidated.type: (SessionOpened.type, passkeyAlone),
    ]

    /// The events that a flow has once, with what is wrong with a further one.
    static let onceInFlow = [
        EmployeeKeyPresented.type: uncausedKey, WaitEnded.type: "the wait of a flow ends a second time",
        DeviceMailConfirmed.type: "a device is confirmed by mail a second time in one flow",
        PasskeyValidated.type: passkeyRepeated,
    ]

    /// The events that are the first of their stream, with what is wrong with others.
    static let firsts = Dictionary(
        uniqueKeysWithValues: [(SessionOpened.type, uncausedSession)] + proofs.map { ($0, "a flow has a second proof") }
    )

    /// Whether somebody adds a further passkey to their own account. Its presentation needs no cause: it carries its
    /// proof, and opens nothing before a decision. It proves no secret.
    static func isFurtherPasskey(_ event: RecordedEvent) -> Bool {
        event.type == EmployeeKeyPresented.type && event.causes.isEmpty && event.data["kind"] == "passkey"
            && event.data["first"] == false
    }

    /// Whether a proof is in the stream of a flow, and a session in its own: a copy elsewhere would be another first.
    static func isInPlace(_ event: RecordedEvent) -> Bool {
        event.type == SessionOpened.type
            ? event.stream == .session(event.data["sessionId"]?.uuid ?? event.id, in: TenantID(event.ledger.uuid))
            : event.stream.kind == "flow"
    }

    /// The words for events whose cause may lie in the user's directory.
    static let inDirectories = [uncausedKey, uncausedSession, uncausedFollowing]

    /// The events that lie in directories, where they are judged.
    static let ofDirectories: Set<String> = [CredentialsSet.type, CredentialsChanged.type, JoinedByPasskey.type]

    /// The events whose cause opened a session, which ``OpenIDTrail`` remembers as long as it lasts.
    static let ofSessions: Set<String> = [BrowserSessionOpened.type, GrantOpened.type, SessionClosed.type]

    /// The events of directories, which ``ReleaseTrail`` judges.
    private static let inUsers: Set<String> = [EmailReleased.type, EmailGaveWay.type, EmailChanged.type]

    /// The causes of events that ``CauseTrail`` judges.
    static let kept = Set(
        rules.filter { !ofSessions.contains($0.key) && !inUsers.contains($0.key) }.values.joined().flatMap(\.types))

    /// The types of effects and causes, of the approvals by which admins confirm
    /// addresses, and of the ends of M-Pin identities.
    static let types = Set(rules.keys).union(rules.values.joined().flatMap(\.types)).union([
        EmployeeApproved.type, MPinRevoked.type,
    ])

    /// The causes that an event with these members has.
    static func rules(of type: String, _ data: JSONValue) -> [Rule] {
        (rules[type] ?? []).filter { $0.concerns(data) }
    }

    /// Returns the causes that an event has among others: for each rule the latest one of the first type.
    static func causes(of event: NewEvent, at time: Timestamp, among others: [CauseFacts]) -> [UUID] {
        let effect = CauseFacts(event, at: time)
        return rules(of: event.type, event.data).compactMap { rule in
            rule.types.lazy.compactMap { type in
                others.last { $0.type == type && rule.permits($0, for: effect) }?.id
            }.first
        }
    }

    /// The events of an append, each with its causes. Of the events of a ledger with one statement the first one causes
    /// the others.
    static func naming(_ events: [NewEvent]) -> [NewEvent] {
        let facts = events.filter { types.contains($0.type) }.map { CauseFacts($0, at: .earliest) }
        return events.enumerated().map { index, event in
            var event = event
            if rules[event.type] != nil { event.causes += causes(of: event, at: .earliest, among: facts) }
            if let statement = event.data["by"]?["statement"],
                let first = events[..<index].first(where: {
                    $0.stream.ledger == event.stream.ledger && $0.data["by"]?["statement"] == statement
                })
            {
                event.causes.append(first.id)
            }
            return event
        }
    }
}

/// Whom an event is about, with which device, flow and session: what cause and effect have in common.
struct CauseFacts: Sendable {
    let id: UUID
    let type: String
    let time: Timestamp
    let employee: UUID?
    var user: UUID?
    let key: KeyFingerprint?
    let flow: UUID?
    let session: UUID?
    /// The tenant in which a device key is presented.
    let tenant: UUID?
    /// Whether an account takes over the address of its user, which causes nothing.
    let follows: Bool
    /// Whether its device key was in force before, or is a passkey that its owner added: the flow that presented it
    /// proves no secret now, see ``CauseTable/isFurtherPasskey(_:)``.
    var isUnproved = false

    /// What one cause may cause once: an event of a type; an address is taken over by each account.
    var effect: String { follows ? "\(type)/\(employee.map(\.lowercased) ?? "")" : type }

    init(_ event: NewEvent, at time: Timestamp) {
        self.init(event.id, event.type, event.stream, event.data, time)
    }

    init(_ event: RecordedEvent) { self.init(event.id, event.type, event.stream, event.data, event.time) }

    private init(_ id: UUID, _ type: String, _ stream: StreamID, _ data: JSONValue, _ time: Timestamp) {
        (self.id, self.type, self.time) = (id, type, time)
        // It lies in a directory, and names whom and what it causes.
        let joined =
            type == JoinedByPasskey.type
            ? data["challenge"]?.bytes.flatMap { try? PasskeyChallenge(parsing: $0) }?.fields : nil
        tenant = joined?.joinedTenant ?? (type == EmployeeKeyPresented.type ? stream.ledger.uuid : nil)
        employee = joined?.joinedEmployee ?? data["employeeId"]?.uuid
        follows = type == EmployeeEmailChanged.type && data["by"]?["kind"] == "policy"
        user = data["userId"]?.uuid
        session = (data["successor"] ?? data["sessionId"])?.uuid
        // The challenge names the device key and the flow that the event names, as its signatures were checked for.
        var challenge: Challenge?
        if let joined {
            key = joined.joinedKey.flatMap { KeyFingerprint($0) }
        } else if case .string(let hex)? = data["fingerprint"] {
            key = KeyFingerprint(hex: hex)
        } else if let bytes = (data["key"] ?? data["employeeKey"])?.bytes {
            key = PublicKeyBytes(bytes).map { KeyFingerprint(of: $0) }
        } else {
            challenge = data["challenge"]?.bytes.flatMap { try? Challenge(kept: $0) }
            key = challenge.flatMap { PublicKeyBytes($0.fields.employeeKey.bytes) }.map { KeyFingerprint(of: $0) }
        }
        flow = stream.kind == "flow" ? stream.id : data["flow"]?.uuid ?? challenge?.fields.flow ?? joined?.flow
    }

    /// Whether a cause and its effect contradict each other in nothing that both name.
    func agrees(with other: CauseFacts) -> Bool {
        func same<Value: Equatable>(_ first: Value?, _ second: Value?) -> Bool {
            first == nil || second == nil || first == second
        }
        return same(employee, other.employee) && same(user, other.user) && same(key, other.key)
            && same(flow, other.flow) && same(session, other.session) && same(tenant, other.tenant)
    }
}
