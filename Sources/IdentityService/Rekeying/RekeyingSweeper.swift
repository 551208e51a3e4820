import Logging
import ServiceLifecycle

/// Re-keys the buckets that a change of credentials could not: after a failure, and after a process that died.
struct RekeyingSweeper: Service {
    /// How long between two looks; the first is at the start.
    static let interval: Duration = .seconds(30)
    let context: ServiceContext

    /// Looks until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await sweep() } catch is CancellationError { return } catch {
                    context.logger.warning("it could not be read whether buckets have to be re-keyed")
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Re-keys whatever is left now.
    func sweep() async throws {
        await RekeyBuckets(context: context).run(try await PendingRekeying.all(on: context.pool))
    }
}
