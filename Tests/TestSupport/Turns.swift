/// Lets a few go on at a time; the others wait in the order in which they came.
///
/// All tests of a target start at once. What each of them needs for itself is little, and together too much: a server
/// refuses connections when it has hundreds of them, and whoever waits for a slow machine runs out of time.
public actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Lets `count` go on at a time.
    public init(_ count: Int) { free = count }

    /// Runs `body` when it is its turn.
    public nonisolated func wait<Result>(_ body: () async throws -> Result) async throws -> Result {
        await take()
        do {
            // Whoever ran out of time while it waited leaves its turn to the next.
            try Task.checkCancellation()
            let result = try await body()
            await giveBack()
            return result
        } catch {
            await giveBack()
            throw error
        }
    }

    private func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
