import Canonical
import ErrorCodes
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Logging
import Postgres
import Synchronization
import Testing
import TestSupport
@testable import IdentityService
@testable import Keys

/// A database with a service context, a clock that the test sets, and users with addresses.
final class MailScene: Sendable {
    static let start = Timestamp(microseconds: 1_795_000_000_000_000)
    let context: ServiceContext
    let pool: PostgresPool
    let readerPool: PostgresPool
    private let clock: Clock

    /// The time that the context reads.
    final class Clock: Sendable {
        private let time = Mutex(MailScene.start)
        var now: Timestamp { time.withLock { $0 } }
        func advance(_ duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
    }

    private init(
        _ pool: PostgresPool, _ readerPool: PostgresPool, _ appender: any AppendTarget, _ clock: Clock,
        _ masters: MasterKeys, _ ring: KeyRing
    ) throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var settings = ServiceSettings()
        settings.now = { clock.now }
        settings.mail = MailSettings(publicURL: "https://id.example/", sender: "tenure@id.example")
        context = ServiceContext(
            pool: pool, appender: appender, reader: LedgerReader(pool: pool), ring: ring,
            personKeys: PersonKeys(pool: pool, masters: masters), seeds: OPRFSeeds(pool: pool, masters: masters),
            compute: ComputePool(threads: 1, waiting: 1), evaluations: ComputePool(threads: 1, waiting: 1),
            settings: settings, logger: logger)
        self.pool = pool
        self.readerPool = readerPool
        self.clock = clock
        self.masters = masters
        self.ring = ring
    }

    private let masters: MasterKeys
    private let ring: KeyRing

    static func with(_ body: (MailScene) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader) { readerPool in
                try await database.withAppender { appender, pool in
                    let masters = MasterKeys.random()
                    let ring = try await KeyRing.load(from: pool, masters: masters)
                    try await body(try MailScene(pool, readerPool, appender, Clock(), masters, ring))
                }
            }
        }
    }

    var now: Timestamp { clock.now }
    func advance(_ duration: Duration) { clock.advance(duration) }

    /// A worker on this database.
    ///
    /// - Parameters:
    ///   - crashing: Whether it dies between sending and its append.
    ///   - counts: Counts what comes of the mails.
    func worker(
        _ transport: FakeTransport, crashing: Bool = false, counts: MailCounts = MailCounts()
    ) throws -> MailOutboxWorker {
        let settings = try #require(context.mail)
        guard crashing else {
            return MailOutboxWorker(
                context: context, settings: settings, readerPool: readerPool, transport: transport, counts: counts)
        }
        let dying = try MailScene(pool, readerPool, DyingAppender(), clock, masters, ring)
        return MailOutboxWorker(
            context: dying.context, settings: settings, readerPool: readerPool, transport: transport)
    }

    private struct DyingAppender: AppendTarget {
        func append(_ append: Append) async throws(LedgerError) -> AppendReceipt {
            throw LedgerError(.unavailable, "the process died")
        }
    }

    /// A user with an address.
    func user(_ address: String) async throws -> UserID {
        let user = UserID(UUID()), stream = StreamID.user(user)
        let (key, insertion) = try await context.personKeys.create(id: user.uuid, ledger: stream.ledger.uuid)
        let signature = try #require(SignatureBytes([UInt8](repeating: 1, count: 64)))
        let event = CredentialsSet(
            userID: user, credentialID: CredentialID(UUID()), record: [1], email: Personal(user, address),
            challenge: [1], deviceSignature: signature, userSignature: signature)
        try await append(event, to: stream, version: 0, keys: [user.uuid: key], [insertion])
        return user
    }

    /// Verifies the address of a user.
    func verify(_ user: UserID) async throws {
        let position = try #require(try await context.userWithAddress(user).address).place.position
        try await append(
            EmailVerified(userID: user, address: position), to: .user(user), version: 1, keys: [:], [])
    }

    /// Records the language of a user.
    func choose(_ language: MailLanguage, _ user: UserID) async throws {
        let keys = try await context.personKeys.load([user.uuid], ledger: LedgerID.directory(of: user).uuid)
        try await append(
            LanguageChosen(userID: user, language: Personal(user, language.rawValue)), to: .user(user), version: 1,
            keys: keys, [])
    }

    /// Queues a mail with a link for a user.
    func queue(_ user: UserID, _ languages: [String] = []) async throws -> QueuedMail {
        let mail = context.verification(of: user, at: now, languages)
        try await append(mail.event, to: mail.stream, version: 0, keys: [:], [mail.insertion(context.ring)])
        return mail
    }

    private func append(
        _ event: any EventPayload, to stream: StreamID, version: Int, keys: [UUID: PersonKey], _ effects: [SQL]
    ) async throws {
        var recorder = EventRecorder(context, at: now)
        try recorder.add(event, to: stream, version: version, keys: keys)
        recorder.statements = effects
        try await recorder.append()
    }

    /// The events of a mail after it was queued.
    func ends(_ mail: QueuedMail) async throws -> [String] {
        try await context.reader.streams([mail.stream])[mail.stream, default: []].dropFirst().map { event in
            switch try EventCodec.payload(of: event) {
            case let sent as MailSent: "sent \(sent.attempts)"
            case let failed as MailFailed: "failed \(failed.attempts) \(failed.code)"
            default: event.type
            }
        }
    }

    /// Charges a mail to one address; the seconds to wait if it is refused.
    func charge(_ app: UUID?) async throws -> Int? {
        do {
            try await context.chargeMail(to: Array("zoe@mail.example".utf8), app: app, at: now)
            return nil
        } catch let refusal as ServiceError {
            guard refusal.code == .requestRateLimited else { throw refusal }
            return refusal.retryAfterSeconds
        }
    }

    /// The number of rows in the outbox.
    func waiting() async throws -> Int64 {
        let rows = try await readerPool.withConnection { connection in
            try await connection.query("SELECT count(*) FROM tenure.mail_outbox")
        }
        return try #require(rows.first).decode(Int64.self)
    }
}

/// A mail server in memory.
final class FakeTransport: MailTransport {
    private let state: Mutex<(outcomes: [MailOutcome], sent: [OutgoingMail])>

    /// Answers with these outcomes, and then accepts everything.
    init(_ outcomes: MailOutcome...) { state = Mutex((outcomes, [])) }

    /// Everything that was handed over, whatever came of it.
    var sent: [OutgoingMail] { state.withLock { $0.sent } }

    func send(_ mail: OutgoingMail) async -> MailOutcome {
        state.withLock { state in
            state.sent.append(mail)
            return state.outcomes.isEmpty ? .accepted : state.outcomes.removeFirst()
        }
    }
}

extension OutgoingMail {
    /// The mail as text.
    var text: String { String(decoding: content, as: UTF8.self) }
    /// The lines of the header that start with a name.
    func header(_ name: String) -> [String] {
        text.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
            .filter { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }
}
