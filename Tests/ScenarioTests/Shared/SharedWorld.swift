import Testing
import TestSupport

/// One world for all tests of a suite, which use companies of their own.
///
/// A suite with this trait starts no other world inside: worlds take turns, and one that waits for a second while it
/// holds the first could wait for ever.
struct SharedWorld: SuiteTrait, TestScoping {
    @TaskLocal static var current: TenureWorld?

    var options = WorldOptions()

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await inTurn(options) { world in
            try await SharedWorld.$current.withValue(world) { try await function() }
        }
    }
}

extension Trait where Self == SharedWorld {
    /// One world for all tests of a suite.
    static var sharedWorld: Self { SharedWorld() }

    /// One world with options for all tests of a suite.
    static func sharedWorld(_ change: (inout WorldOptions) -> Void) -> Self {
        var options = WorldOptions()
        change(&options)
        return SharedWorld(options: options)
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs only where a database server is named.
    static var onServer: Self { .enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)) }

    /// Runs a test that changes or watches the tables by statements that a distributed database refuses, such as
    /// triggers, or that looks at the files of its server.
    static var onOneServer: Self {
        .enabled(
            if: TestServer.isAvailable && !TestServer.isDistributed, "it looks into the tables or files of one server")
    }
}

/// The world of the suite that runs.
func sharedWorld() throws -> TenureWorld { try #require(SharedWorld.current, "the suite has no shared world") }

/// Runs `body` with a world of its own when it is its turn: a few worlds at a time keep waiting times honest.
func inTurn<Result>(
    _ options: WorldOptions = WorldOptions(), on server: String? = nil,
    _ body: (TenureWorld) async throws -> Result
) async throws -> Result {
    guard SharedWorld.current == nil else { throw NestedWorld() }
    return try await turns.wait { try await withTenure(options, on: server, body) }
}

/// A test that asks for a second world inside the world of its suite: it could wait for ever.
struct NestedWorld: Error, CustomStringConvertible {
    var description: String { "a suite with a shared world starts no other one: move the test to a suite of its own" }
}

/// How many worlds may run at once.
private let turns = Turns(3)

/// Does something for each number at the same time and gathers the results in order.
func concurrently<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        for number in 0..<count {
            group.addTask { (number, try await body(number)) }
        }
        var results: [(Int, Result)] = []
        for try await result in group { results.append(result) }
        return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
