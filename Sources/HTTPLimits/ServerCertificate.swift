package import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

#if TLS
package import NIOSSL
#endif

/// The certificate chain of a server and its key, read again while the server runs.
///
/// A connection gets the pair that is held when its handshake begins, and keeps it. Both files are read once a minute
/// and by ``reload()``. A pair that cannot be read or does not match changes nothing: whoever renews a certificate
/// replaces two files, one after the other.
package final class ServerCertificate: Service {
    /// What a server has to tell about its certificate.
    package struct Status: Sendable, Equatable {
        /// The end of the server's own certificate, in seconds since 1970.
        package var end: Int
        /// How many times another pair came into use.
        package var renewals = 0
        /// How many times the files had no pair to use.
        package var failures = 0
    }

    private struct State {
        var pair: CertificatePair
        var status: Status
        /// Why the last reading failed; `nil` if it did not.
        var failure: ServerCertificateError?
    }

    private let chainFile: String
    private let keyFile: String
    private let pause: Duration
    private let logger: Logger
    private let state: Mutex<State>
    /// Held by one reading at a time, so that an older one never replaces a newer one.
    private let reading = Mutex(())

    /// Reads a pair of PEM files.
    ///
    /// - Parameter pause: The time between two readings.
    /// - Throws: ``ServerCertificateError`` if there is no pair to use.
    package init(
        chainFile: String, keyFile: String, pause: Duration = .seconds(60), logger: Logger
    ) throws(ServerCertificateError) {
        self.chainFile = chainFile
        self.keyFile = keyFile
        self.pause = pause
        self.logger = logger
        let pair = try CertificatePair(chainFile: chainFile, keyFile: keyFile)
        state = Mutex(State(pair: pair, status: Status(end: pair.end)))
    }

    /// The end of the certificate in use, and how the readings went.
    package var status: Status { state.withLock { $0.status } }

    /// Reads the files once in each pause, until a graceful shutdown begins.
    package func run() async throws {
        try? await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                try await Task.sleep(for: pause)
                read(isAsked: false)
            }
        }
    }

    /// Reads the files now, and takes the pair into use if it is one.
    package func reload() { read(isAsked: true) }

    private func read(isAsked: Bool) {
        reading.withLock { _ in
            do throws(ServerCertificateError) {
                take(try CertificatePair(chainFile: chainFile, keyFile: keyFile), isAsked: isAsked)
            } catch {
                keep(error, isAsked: isAsked)
            }
        }
    }

    private func take(_ pair: CertificatePair, isAsked: Bool) {
        let isNew = state.withLock { state in
            state.failure = nil
            guard pair != state.pair else { return false }
            state.pair = pair
            state.status.end = pair.end
            state.status.renewals += 1
            return true
        }
        guard isNew || isAsked else { return }
        logger.notice(
            isNew ? "new connections get the new certificate" : "the certificate is the one that is in use",
            metadata: ["file": "\(chainFile)", "ends_at": "\(pair.end)"])
    }

    /// Counts a failure. It is logged once, however often the files are read until they are right.
    private func keep(_ failure: ServerCertificateError, isAsked: Bool) {
        let isKnown = state.withLock { state in
            defer { state.failure = failure }
            state.status.failures += 1
            return state.failure == failure
        }
        guard !isKnown || isAsked else { return }
        logger.error(
            "the certificate in use stays, because the files hold no other: \(failure)",
            metadata: ["certificate": "\(chainFile)", "key": "\(keyFile)"])
    }
}

#if TLS
extension ServerCertificate {
    /// The TLS configuration of a server whose handshakes each ask for the pair in use.
    package var configuration: TLSConfiguration {
        var configuration = state.withLock { $0.pair }.configuration
        configuration.sslContextCallback = { [self] _, promise in
            let pair = state.withLock { $0.pair }
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = pair.chain.map { .certificate($0) }
            override.privateKey = .privateKey(pair.key)
            promise.succeed(override)
        }
        return configuration
    }
}
#endif

/// The reason why two files hold no certificate with its key.
package struct ServerCertificateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable identifier of the reason. Later versions may add codes.
    package struct Code: Sendable, Hashable {
        /// The identifier, such as `certificate.mismatch`.
        package let rawValue: String

        /// The file of the certificate chain cannot be read as PEM.
        package static let certificateUnreadable = Code(rawValue: "certificate.unreadable")
        /// The file of the key cannot be read as PEM.
        package static let keyUnreadable = Code(rawValue: "certificate.key_unreadable")
        /// The key is not that of the first certificate of the chain.
        package static let mismatch = Code(rawValue: "certificate.mismatch")
        /// The program was built without TLS.
        package static let notBuilt = Code(rawValue: "certificate.not_built")
    }

    package let code: Code

    /// The reason in words, without the files.
    package var description: String {
        switch code {
        case .certificateUnreadable: "the file of the certificate chain cannot be read as PEM"
        case .keyUnreadable: "the file of the key cannot be read as PEM"
        case .notBuilt: TLSBuild.reason
        default: "the key is not that of the first certificate"
        }
    }
}
