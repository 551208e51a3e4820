import Ledger
public import Logging
public import ServiceLifecycle

/// Seals once a second while there is something to seal, and keeps the newest anchor in a file.
///
/// What is appended is vouched for from the next seal on, not before. Any number of processes may run one.
public struct CheckpointSealer: Service {
    /// The shortest time between two seals.
    public static let interval: Duration = .seconds(1)
    private let sealing: SealCheckpoints
    private let file: AnchorFile?
    private let logger: Logger

    /// Seals; `anchorFile` is the path of the file to keep, if any.
    public init(_ sealing: SealCheckpoints, anchorFile: String?, logger: Logger) {
        self.sealing = sealing
        self.logger = logger
        file = anchorFile.map(AnchorFile.init)
    }

    /// Seals until the task is cancelled or a graceful shutdown begins.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            let clock = ContinuousClock()
            while !Task.isCancelled {
                let start = clock.now
                do { try await seal() } catch is CancellationError { return } catch {
                    logger.warning("checkpoints could not be sealed", metadata: ["error": "\(error)"])
                }
                // Finding what grew reads all heads: at most a twentieth of the time goes into that.
                try? await Task.sleep(for: max(Self.interval, (clock.now - start) * 19))
            }
        }
    }

    private func seal() async throws {
        guard let anchor = try await sealing.run() else { return }
        try file?.write(anchor)
    }
}
