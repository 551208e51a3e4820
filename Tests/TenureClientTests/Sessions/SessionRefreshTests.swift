import Canonical
import Foundation
import Synchronization
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct SessionRefreshTests {
    private let store = MemorySessionStore()

    /// A session whose access token ends after `lifetime` seconds.
    private func session(_ service: FakeService, lifetime: Int) async throws -> EmployeeSession {
        let client = TenureClient(service, sessionStore: store)
        let account = client.account(companyName: "A", companyEmployeeId: "7")
        await store.keep(
            SessionTokens(
                accessToken: "first", expiresAt: Timestamp.now().adding(.seconds(lifetime)), refreshToken: "once"),
            of: account)
        return try #require(try await client.session(companyName: "a", companyEmployeeId: "7"))
    }

    private func ask(_ session: EmployeeSession, _ count: Int) async -> [Result<String, any Error>] {
        await withTaskGroup(of: Result<String, any Error>.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do { return .success(try await session.accessToken()) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `a valid token is returned unchanged`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let session = try await session(service, lifetime: 600)
        #expect(try await session.accessToken() == "first")
        #expect(await service.sent.isEmpty)
    }

    @Test func `fifty callers with an expired token cause one refresh`() async throws {
        for _ in 0..<20 {
            let service = FakeService(asking: .asksForAnswers)
            let session = try await session(service, lifetime: 1)
            let tokens = await ask(session, 50).compactMap { try? $0.get() }
            #expect(tokens == Array(repeating: "access1", count: 50))
            let sent = await service.sent("/v1/sessions/refresh")
            #expect(sent.count == 1)
            #expect(try SessionRefreshRequest(bytes: sent.first?.body ?? []).refreshToken == "once")
        }
    }

    @Test func `sessions of one account share the refresh, even across copies of the client`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let session = try await session(service, lifetime: 1)
        let client = session.client
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let again = try #require(try await client.session(companyName: "A", companyEmployeeId: "7"))
                    return try await again.accessToken()
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["access1"])
        #expect(await service.sent("/v1/sessions/refresh").count == 1)
    }

    @Test(arguments: ["session.invalid", "session.expired"])
    func `a refused refresh fails every caller after one request and ends the session`(refusal: String) async throws {
        let service = FakeService(asking: .asksForAnswers)
        await service.refresh([.problem(refusal)])
        let session = try await session(service, lifetime: 1)
        let codes = await ask(session, 50).map { result -> String? in
            if case .failure(let error) = result { (error as? TenureClientError)?.code.rawValue } else { nil }
        }
        // Who asks after the refusal finds no session any more.
        #expect(codes.allSatisfy { $0 == refusal || $0 == "client.not_logged_in" })
        #expect(codes.contains(refusal))
        #expect(await service.sent("/v1/sessions/refresh").count == 1)
        #expect(await store.tokens(of: session.account) == nil)
    }

    @Test func `a refresh whose responses are all lost is repeated later with the same key`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        await service.refresh([.lose, .lose])
        let session = try await session(service, lifetime: 1)
        #expect(await code { _ = try await session.accessToken() } == "client.connection_lost")
        let kept = await store.tokens(of: session.account)
        #expect(kept?.refreshToken == "once" && kept?.refreshSecret?.count == 32)
        // Another process with the same store repeats it.
        let other = TenureClient(service, sessionStore: store)
        let again = try #require(try await other.session(companyName: "a", companyEmployeeId: "7"))
        #expect(try await again.accessToken() == "access1")
        let sent = await service.sent("/v1/sessions/refresh")
        let keys = Set(sent.map { $0.headers["Idempotency-Key"] })
        #expect(sent.count == 3 && Set(sent.map(\.body)).count == 1)
        #expect(keys.count == 1 && keys.first??.count == 43)
        #expect(await store.tokens(of: session.account)?.refreshSecret == nil)
    }

    @Test func `the key of a refresh comes from the token and from bytes that only this device has`() {
        var (one, two) = (SessionTokens.sample("t"), SessionTokens.sample("t"))
        let key = one.refreshKey()
        #expect(one.refreshKey() == key && two.refreshKey() != key)
        var other = SessionTokens.sample("u")
        other.refreshSecret = one.refreshSecret
        #expect(other.refreshKey() != key)
        var stored = SessionTokens(storedBytes: one.storedBytes)
        #expect(stored == one && stored?.refreshKey() == key)
    }

    @Test func `tokens of an earlier version of the store are read`() {
        let tokens = SessionTokens.sample("t")
        #expect(tokens.refreshSecret == nil && SessionTokens(storedBytes: tokens.storedBytes) == tokens)
        #expect(!String(decoding: tokens.storedBytes, as: UTF8.self).contains("refreshSecret"))
    }

    @Test func `nothing is refreshed before its key is stored`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let account = AccountName(issuer: "https://id.example", companyName: "A", companyEmployeeId: "7")
        let client = TenureClient(service, sessionStore: FullStore(tokens: .sample("once")))
        let session = EmployeeSession(client: client, account: account)
        #expect(await code { _ = try await session.accessToken() } == "client.storage_failed")
        #expect(await service.sent.isEmpty)
    }

    @Test func `processes that share a directory make one refresh, though its first response is lost`() async throws {
        let folder = NSTemporaryDirectory() + "sessions-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let service = FakeService(asking: .asksForAnswers)
        await service.refresh([.lose, .success()])
        // A client has its own keepers, as a process has.
        let sessions = try await (0..<10).asyncMap { number in
            let client = TenureClient(service, sessionStore: FileSessionStore(directory: folder))
            let account = client.account(companyName: "A", companyEmployeeId: "7")
            if number == 0 { try await FileSessionStore(directory: folder).keep(.sample("once"), of: account) }
            return EmployeeSession(client: client, account: account)
        }
        let tokens = await withTaskGroup(of: String?.self) { group in
            for session in sessions { group.addTask { try? await session.accessToken() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "access1", count: 10))
        #expect(await service.sent("/v1/sessions/refresh").count == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(names.map { $0.suffix(5) }) == [".json", ".lock"] && names.count == 2)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [ENOLCK, EOPNOTSUPP, ENOSYS, EIO])
    func `a directory without file locks is told at once, and nothing is sent`(number: Int32) async throws {
        let folder = NSTemporaryDirectory() + "sessions-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let calls = Calls()
        let store = FileSessionStore(directory: folder) { _, _ in
            calls.count()
            errno = number
            return -1
        }
        let service = FakeService(asking: .asksForAnswers)
        let client = TenureClient(service, sessionStore: store)
        let account = client.account(companyName: "A", companyEmployeeId: "7")
        try await store.keep(.sample("once"), of: account)
        let error = await #expect(throws: TenureClientError.self) {
            _ = try await EmployeeSession(client: client, account: account).accessToken()
        }
        #expect(error?.kind == .storageFailed)
        #expect(error?.advice.first?.contains("without file locks") == true)
        #expect(error?.advice.first?.contains(folder) == true)
        #expect(calls.number == 1)
        #expect(await service.sent.isEmpty)
    }

    @Test func `a new session waits for a refresh of another process and is not overwritten by it`() async throws {
        let folder = NSTemporaryDirectory() + "sessions-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = FileSessionStore(directory: folder)
        let account = AccountName(issuer: "i", companyName: "A", companyEmployeeId: "7")
        try await store.keep(.sample("once"), of: account)
        let (refreshing, other) = (
            SessionKeeper(account: account, store: store, now: { .now() }),
            SessionKeeper(account: account, store: FileSessionStore(directory: folder), now: { .now() })
        )
        let (started, start) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let refresh = Task {
            try await refreshing.accessToken { _, _ in
                start.finish()
                for await _ in gate {}
                return .sample("renewed")
            }
        }
        for await _ in started {}
        let begin = Task { try await other.begin(.sample("new")) }
        #expect(try await store.tokens(of: account)?.refreshToken == "once")
        open.finish()
        #expect(try await refresh.value == "access renewed")
        try await begin.value
        #expect(try await store.tokens(of: account)?.refreshToken == "new")
    }

    @Test func `a call whose token another process has replaced is repeated with the new one`() async throws {
        let service = FakeService(asking: .asksForAnswers, [.problem("session.invalid"), .success()])
        let session = try await session(service, lifetime: 600)
        let renewed = SessionTokens(
            accessToken: "theirs", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "next")
        let used = try await session.withAuthority { [store] authority in
            guard case .employee(let token) = authority else { return "" }
            // The other process refreshes while this call is on its way.
            if token == "first" { await store.keep(renewed, of: session.account) }
            try await session.client.send(.listSessions, as: authority)
            return token
        }
        #expect(used == "theirs")
        #expect(await service.sent("/v1/sessions/refresh").isEmpty)
    }

    @Test func `a call whose token nobody has replaced is refused`() async throws {
        let service = FakeService(asking: .asksForAnswers, [.problem("session.invalid")])
        let session = try await session(service, lifetime: 600)
        #expect(await code { _ = try await session.openSessions() } == "session.invalid")
        #expect(await service.sent("/v1/sessions").count == 1)
    }

    @Test func `a cancelled waiter returns at once without affecting the others`() async throws {
        let flight = SingleFlight<Int>()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let work: @Sendable () async throws -> Int = {
            for await _ in gate { break }
            return 7
        }
        let stays = Task { try await flight.run(work) }
        let leaves = Task { await code { _ = try await flight.run(work) } }
        leaves.cancel()
        #expect(await leaves.value == "CancellationError")
        open.yield()
        open.finish()
        #expect(try await stays.value == 7)
    }

    @Test func `random cancellations leave no waiting caller`() async throws {
        for round in 0..<50 {
            let flight = SingleFlight<Int>()
            let tasks = (0..<20).map { number in
                Task {
                    await code {
                        _ = try await flight.run {
                            await Task.yield()
                            return number
                        }
                    }
                }
            }
            for (number, task) in tasks.enumerated() where (number + round) % 3 == 0 { task.cancel() }
            for task in tasks { #expect([nil, "CancellationError"].contains(await task.value)) }
        }
    }

    @Test func `a token that the service reports as expired is renewed, and the call is repeated once`() async throws {
        let service = FakeService(asking: .asksForAnswers, [.problem("session.expired"), .success()])
        let session = try await session(service, lifetime: 600)
        let used = try await session.withAuthority { authority in
            try await session.client.send(.listSessions, as: authority)
            guard case .employee(let token) = authority else { return "" }
            return token
        }
        #expect(used == "access1")
        #expect(
            await service.sent("/v1/sessions").compactMap { $0.headers["Authorization"] } == [
                "Bearer first", "Bearer access1",
            ])
        #expect(await service.sent("/v1/sessions/refresh").count == 1)
    }

    @Test func `fifty callers with a refused token cause one refresh`() async throws {
        let service = FakeService(
            asking: .asksForAnswers, Array(repeating: .problem("session.expired"), count: 50) + [.success()])
        let session = try await session(service, lifetime: 600)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    _ = try? await session.withAuthority { try await session.client.send(.listSessions, as: $0) }
                }
            }
        }
        #expect(await service.sent("/v1/sessions/refresh").count == 1)
    }

    @Test func `a token renewed by another process is used`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let session = try await session(service, lifetime: 1)
        let renewed = SessionTokens(
            accessToken: "theirs", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "next")
        await store.keep(renewed, of: session.account)
        #expect(try await session.accessToken() == "theirs")
        #expect(await service.sent.isEmpty)
    }

    @Test func `logging out ends the local session even if the service no longer knows it`() async throws {
        for reply in [FakeService.Reply.success(), .problem("session.invalid")] {
            let service = FakeService(asking: .asksForAnswers, [reply])
            let session = try await session(service, lifetime: 600)
            try await session.logOut()
            #expect(await store.tokens(of: session.account) == nil)
            #expect(await code { _ = try await session.accessToken() } == "client.not_logged_in")
        }
        let service = FakeService(asking: .asksForAnswers, [.lose])
        let session = try await session(service, lifetime: 600)
        #expect(await code { try await session.logOut() } == "client.connection_lost")
        #expect(await store.tokens(of: session.account) != nil)
    }

    @Test func `tokens are not printed`() {
        let tokens = SessionTokens(accessToken: "hunter2", expiresAt: .now(), refreshToken: "hunter3")
        #expect(!"\(tokens) \(String(reflecting: tokens))".contains("hunter"))
    }
}

extension SessionTokens {
    /// Tokens whose access token has expired, unless they are called new or renewed.
    fileprivate static func sample(_ name: String) -> SessionTokens {
        let isNew = ["renewed", "new"].contains(name)
        let end = isNew ? Timestamp.now().adding(.seconds(600)) : Timestamp(microseconds: 5)
        return SessionTokens(accessToken: "access " + name, expiresAt: end, refreshToken: name)
    }
}

/// A store on a full disk: it reads and writes nothing.
private struct FullStore: SessionStore {
    var tokens: SessionTokens

    func tokens(of account: AccountName) -> SessionTokens? { tokens }
    func keep(_ tokens: SessionTokens, of account: AccountName) throws { throw TenureClientError(.storageFailed) }
    func removeTokens(of account: AccountName) {}
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

/// Counts calls.
private final class Calls: Sendable {
    private let counted = Mutex(0)

    var number: Int { counted.withLock { $0 } }

    func count() { counted.withLock { $0 += 1 } }
}
