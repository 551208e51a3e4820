public import ServiceLifecycle

/// Forgets what a process remembers of log-ins and companies, one to two minutes after it was used last.
///
/// Apart from the sweeping of rows, which waits for the database.
public struct MemoryAging: Service {
    /// How long a generation lasts.
    static let interval: Duration = .seconds(60)
    let context: ServiceContext

    /// Ages the memory of a service.
    public init(_ context: ServiceContext) { self.context = context }

    /// Ages it until the task is cancelled.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                context.flows.age()
                context.companies.age()
            }
        }
    }
}
