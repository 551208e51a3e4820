import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Verifies each user's credentials in one directory.
///
/// Every record is in its user's stream, follows exactly the record before it and has an id of its own. It is signed by
/// the key that it replaces, or names the decisions of two people. No record follows the user's erasure.
///
/// The trail's memory grows with the users and the credentials of one directory.
struct CredentialTrail: Sendable {
    private enum Standing {
        case inForce(credential: UUID, PreviousCredentials, isSecretless: Bool)
        case erased
    }
    static let nobodyKnows = "the secret is changed with one that nobody knows"
    static let notFirst = "a passkey replaces a secret that somebody knows"
    static let joinedWithSecret = "a passkey joins a company for somebody who has a secret, or a second time"
    static let joinedLate = "the challenge to join a company had expired, or lasts longer than two minutes"
    static let uncharged = "the secret of an address is proved without a charge"

    private var recoveries = RecoveryTrail()
    private var standings: [UUID: Standing] = [:]
    private var credentials: Set<UUID> = []
    private var joinings: Set<[UInt8]> = []
    private var statements = UsedStatements()

    /// Takes the next event, and returns what is wrong with it or `nil`.
    ///
    /// - Parameter earliest: The earliest time at which it may have been appended; `nil` if that is unknown.
    mutating func follow(_ event: RecordedEvent, at earliest: Timestamp?) -> String? {
        let use = statements.use(event)
        if use == .again {
            recoveries.pass(event)
            return UsedStatements.words
        }
        let words = judge(event, at: earliest)
        let recovery = recoveries.follow(event)
        return use == .elsewhere ? UsedStatements.words : recovery ?? words
    }

    private mutating func judge(_ event: RecordedEvent, at earliest: Timestamp?) -> String? {
        switch event.type {
        case CredentialsSet.type, CredentialsChanged.type: return take(event, at: earliest)
        case JoinedByPasskey.type: return join(event, at: earliest)
        case AddressProved.type:
            return event.streamVersion > 1 && event.stream.kind == "attempt" ? nil : Self.uncharged
        case UserErased.type:
            if let user = event.data["userId"]?.uuid { standings[user] = .erased }
            return nil
        default: return nil
        }
    }

    /// Checks a registration by a passkey: of a person without a secret, by a challenge that is answered once.
    private mutating func join(_ event: RecordedEvent, at earliest: Timestamp?) -> String? {
        guard let user = event.data["userId"]?.uuid, event.stream == .user(UserID(user)),
            case .inForce(_, _, true)? = standings[user], let bytes = event.data["challenge"]?.bytes,
            joinings.insert(bytes).inserted
        else { return Self.joinedWithSecret }
        guard let end = try? PasskeyChallenge(parsing: bytes).fields.expires,
            (earliest ?? event.time) <= end.adding(AuthorityTrail.appendTime),
            end <= event.time.adding(FlowState.challengeLifetime + AuthorityTrail.appendTime)
        else { return Self.joinedLate }
        return nil
    }

    private mutating func take(_ event: RecordedEvent, at earliest: Timestamp?) -> String? {
        guard let user = event.data["userId"]?.uuid, let credential = event.data["credentialId"]?.uuid,
            let bytes = event.data["record"]?.bytes, let record = try? StoredCredentials(bytes: bytes).record
        else { return "the event has no record" }
        let standing = standings[user], isNew = credentials.insert(credential).inserted
        // Right or wrong, later events were decided on it. But nothing restores an erased user.
        if case .erased = standing { return "credentials are set for an erased user" }
        standings[user] = .inForce(
            credential: credential, PreviousCredentials(record), isSecretless: event.data["secretless"] != nil)
        guard event.stream == .user(UserID(user)) else { return "the event is not in its user's stream" }
        guard isNew else { return "the credential's id was used before" }
        guard event.type == CredentialsChanged.type else {
            return standing == nil ? nil : "credentials are set for a user who already has them"
        }
        guard case .inForce(let before, let previous, let wasSecretless) = standing,
            before == event.data["previousCredentialId"]?.uuid,
            let challenge = event.data["challenge"]?.bytes.flatMap({ try? Challenge(parsing: $0) }),
            (try? record.verify(employeeKey: challenge.fields.employeeKey, previous: previous)) != nil
        else { return "the record does not follow the one it replaces" }
        switch record.content.authority {
        case .changed where wasSecretless: return Self.nobodyKnows
        case .changed: return challenge.fields.purpose == .change ? nil : "the challenge is for another purpose"
        case .recovered: return recoveries.judge(record, challenge, event, at: earliest)
        case .initial: return "the record is not signed by the replaced key"
        case .passkey:
            let isFirst = wasSecretless && event.data["secretless"] == nil && challenge.fields.purpose == .change
            return isFirst ? nil : Self.notFirst
        }
    }
}

/// A user key that signed a validation, as the tenant's ledger has it.
struct ValidatedKey: Hashable, Sendable {
    let credential: UUID
    let user: UUID
    let key: PublicKeyBytes

    private static let types: Set<String> = [
        AnswersValidated.type, PassphraseValidated.type, ReturnOpened.type, ReturnCompleted.type,
    ]

    /// The key of a validation, or of the proof of a return; `nil` for any other event.
    init?(validation event: RecordedEvent) {
        guard Self.types.contains(event.type),
            let credential = event.data["credentialId"]?.uuid, let user = event.data["userId"]?.uuid,
            let key = event.data["userKey"]?.bytes.flatMap({ PublicKeyBytes($0) })
        else { return nil }
        self.credential = credential
        self.user = user
        self.key = key
    }

    /// The key of an event with a credential record, whatever its type; `nil` for any other event.
    init?(record event: RecordedEvent) {
        // Nobody knows the passphrase of a person without a secret, so its key proves nothing.
        guard event.data["secretless"] == nil, let bytes = event.data["record"]?.bytes,
            let context = try? StoredCredentials(bytes: bytes).record.sealed.context,
            let key = PublicKeyBytes(context.userPublicKey.bytes)
        else { return nil }
        credential = context.credentialId
        user = context.userId
        self.key = key
    }
}

/// The user keys of validations, each with its first occurrence. Validations are in tenants' ledgers; the records that
/// prove their keys are in directories.
///
/// Tenants' ledgers are read first, so every validation there has its record in a directory that is read later. Memory
/// grows with the number of credentials that were ever used.
struct ValidatedKeys: Sendable {
    private struct Place: Sendable {
        let ledger: LedgerID
        let position: Int64
    }
    private var places: [ValidatedKey: Place] = [:]
    /// The recovery decisions that tenants' ledgers and directories must have in common.
    var recoveries = RecoveryCopyTrail()
    /// The credentials that prove returns, which have to be in force.
    private var returns = ReturnCredentials()
    /// The passkeys that may set a first secret.
    var passkeys = AuthorizedPasskeys()
    /// The events that need a cause in another ledger.
    var causes = CauseTrail()

    /// Takes an event of a tenant's ledger.
    mutating func follow(_ event: RecordedEvent) {
        recoveries.follow(event)
        returns.follow(event)
        guard let key = ValidatedKey(validation: event), places[key] == nil else { return }
        places[key] = Place(ledger: event.ledger, position: event.position)
    }

    /// Takes an event of a directory, removes the key that its record proves, and returns what is wrong with a recovery
    /// or `nil`.
    ///
    /// - Parameter earliest: The earliest time at which it may have been appended; `nil` if that is unknown.
    mutating func match(_ event: RecordedEvent, at earliest: Timestamp?) -> String? {
        if !places.isEmpty, let key = ValidatedKey(record: event) { places[key] = nil }
        return recoveries.match(event) ?? returns.match(event) ?? causes.match(event)
            ?? passkeys.match(event, at: earliest, causes.releases)
    }

    mutating func merge(_ other: ValidatedKeys) {
        places.merge(other.places) { first, _ in first }
        recoveries.merge(other.recoveries)
        returns.merge(other.returns)
        passkeys.merge(other.passkeys)
        causes.merge(other.causes)
    }

    /// Splits the keys by the directories of their records. The result also has an entry for each wanted directory.
    func byDirectory(_ wanted: Set<LedgerID> = []) -> [LedgerID: ValidatedKeys] {
        var directories: [LedgerID: ValidatedKeys] = [:]
        for (key, place) in places {
            directories[.directory(of: UserID(key.user)), default: ValidatedKeys()].places[key] = place
        }
        let named = causes.users.union(passkeys.users).map { LedgerID.directory(of: UserID($0)) }
        for directory in wanted.union(recoveries.directories).union(named).union(directories.keys) {
            directories[directory, default: ValidatedKeys()].recoveries = recoveries.part(of: directory)
            directories[directory]?.returns = returns
            directories[directory]?.passkeys = passkeys.part(of: directory)
            directories[directory]?.causes = causes.part(of: directory)
        }
        return directories
    }

    var users: Set<UUID> {
        Set(places.keys.map(\.user)).union(recoveries.users).union(causes.users).union(passkeys.users)
    }

    /// The keys without a record, after a whole directory was read.
    var violations: [Violation] { missing + recoveries.violations + causes.violations }

    private var missing: [Violation] {
        places.values.map { place in
            Violation(
                .signature, ledger: place.ledger, position: place.position,
                "the user key is not one of the user's credentials")
        }
    }
}

/// Compares the user keys of one tenant's validations with the records in their users' streams.
///
/// It reads the streams instead of the directories, which hold all users with the same first byte of the id. It
/// verifies the records' signatures and their chain. Only a verification of the whole log shows that the records are
/// complete and match the checkpoints.
struct UserRecords: Sendable {
    /// The number of streams read at once.
    private static let step = 500
    private let reader: LedgerReader

    /// Compares over a pool of the reader role.
    init(pool: PostgresPool, disowned: DisownedEntries) {
        reader = LedgerReader(pool: pool, codes: .unchecked(disowned: disowned), storesTiles: false)
    }

    /// Returns what is wrong with the records, and the validations without a record.
    ///
    /// - Throws: ``LedgerError`` if the database cannot be read; never for its content.
    func violations(of validated: ValidatedKeys) async throws -> [Violation] {
        var left = validated
        var violations: [Violation] = []
        let users = validated.users.sorted { $0.uuidString < $1.uuidString }
        for start in stride(from: 0, to: users.count, by: Self.step) {
            let streams = users[start..<min(start + Self.step, users.count)].map { StreamID.user(UserID($0)) }
            for (stream, events) in try await read(streams, &violations) {
                var trail = CredentialTrail()
                for event in events {
                    let found = [
                        left.match(event, at: event.time), EventSignatures.violation(event),
                        trail.follow(event, at: event.time),
                    ].compactMap { $0 }
                    violations += found.map {
                        Violation(.signature, ledger: stream.ledger, position: event.position, $0)
                    }
                }
            }
        }
        return violations + left.violations
    }

    /// Returns the addresses that gave way without their cause, or to a cause of another one.
    func violations(of given: [ReleaseTrail.Given]) async throws -> [Violation] {
        var violations: [Violation] = [], causes: Set<UUID> = []
        for one in given {
            let stream = StreamID.user(UserID(one.claimant))
            let events = try await read([stream], &violations)[stream] ?? []
            if !causes.insert(one.cause).inserted || !one.isCaused(by: events) { violations.append(one.violation) }
        }
        return violations
    }

    /// Reads streams. A stream with malformed entries is a violation and does not prevent others from being read.
    private func read(
        _ streams: [StreamID], _ violations: inout [Violation]
    ) async throws -> [StreamID: StreamEvents] {
        do { return try await reader.streams(streams) } catch {
            guard error.isDamage else { throw error }
            guard streams.count > 1 else {
                violations += streams.map { Violation(.entry, ledger: $0.ledger, "a user's stream cannot be read") }
                return [:]
            }
            var events: [StreamID: StreamEvents] = [:]
            for stream in streams {
                events.merge(try await read([stream], &violations)) { first, _ in first }
            }
            return events
        }
    }
}
