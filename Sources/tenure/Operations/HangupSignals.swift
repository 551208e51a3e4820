import HTTPAPI
import Logging
import ServiceLifecycle
import UnixSignals

/// Takes SIGHUP for as long as it lives. Without it the signal ends the process.
final class HangupSignals: Sendable {
    fileprivate let signals: UnixSignalsSequence

    init() async { signals = await UnixSignalsSequence(trapping: .sighup) }
}

/// Reads the certificate again at each SIGHUP.
struct HangupService: Service {
    private let signals: HangupSignals
    private let logger: Logger
    /// Reads it again. Returns whether there is one.
    private let reload: @Sendable () -> Bool

    init(_ signals: HangupSignals, logger: Logger, reload: @escaping @Sendable () -> Bool) {
        self.signals = signals
        self.logger = logger
        self.reload = reload
    }

    init(_ signals: HangupSignals, _ servers: HTTPServers, logger: Logger) {
        self.init(signals, logger: logger) { servers.reload() }
    }

    func run() async throws {
        for await _ in signals.signals.cancelOnGracefulShutdown() where !reload() {
            logger.notice("SIGHUP changes nothing: there is no certificate to read again")
        }
        try? await gracefulShutdown()
    }
}
