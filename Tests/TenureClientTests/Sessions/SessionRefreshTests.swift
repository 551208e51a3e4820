import Canonical
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

    @Test func `a lost refresh fails the callers who waited and keeps the session`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        await service.refresh([.lose])
        let session = try await session(service, lifetime: 1)
        #expect(await code { _ = try await session.accessToken() } == "client.connection_lost")
        #expect(await store.tokens(of: session.account)?.refreshToken == "once")
        #expect(try await session.accessToken() == "access1")
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
