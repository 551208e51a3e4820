import ArgumentParser
import Foundation
import HTTPLimits
import Logging
import MPinAuthority
import ServiceLifecycle
import UnixSignals

/// Creates and serves a D-TA, which issues shares of M-Pin keys.
struct MPinAuthorityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dta",
        abstract: "Create and serve a D-TA, which issues shares of M-Pin keys.",
        discussion: """
            An installation has two D-TAs, on hosts of different operators. Each is a process with a directory and a \
            master secret of its own, and needs no database. See docs/mpin.md.

            Examples:
              tenure dta init --directory /var/lib/tenure-dta
              tenure dta serve --directory /var/lib/tenure-dta
            """, subcommands: [MPinAuthorityInit.self, MPinAuthorityServe.self])
}

/// The options that name the files of a D-TA.
struct MPinAuthorityPlace: ParsableArguments {
    @Option(help: "The directory of the D-TA, mode 0700.")
    var directory: String

    @Option(
        help: ArgumentHelp(
            "The file of the key that seals the D-TA's keys. Default: sealing.key in the directory.",
            valueName: "file"))
    var keyFile: String?

    /// The directory; relative paths start at the working directory.
    var value: MPinAuthorityDirectory {
        MPinAuthorityDirectory(path: Self.absolute(directory), keyFile: keyFile.map(Self.absolute))
    }

    static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}

/// Creates the keys and files of a D-TA.
struct MPinAuthorityInit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create the keys and files of a D-TA. Nothing is ever overwritten.",
        discussion: """
            Prints the path of the signing key, which the service needs too. Key files that exist are used as they are.

            Example:
              tenure dta init --directory /var/lib/tenure-dta --if-missing
            """)

    @OptionGroup var place: MPinAuthorityPlace

    @Option(
        help: ArgumentHelp(
            "The file of the key that the service signs requests with; created if there is none. Default: signing.key "
                + "in the directory.", valueName: "file"))
    var signingKey: String?

    @Flag(help: "Succeed if the directory holds a D-TA already.")
    var ifMissing = false

    func run() throws {
        let directory = place.value
        let words = Output.standardError()
        if ifMissing, directory.exists { return words.line("\(directory.path) holds a D-TA already.") }
        let signing = try directory.create(signingKeyFile: signingKey.map(MPinAuthorityPlace.absolute))
        words.line("Created a D-TA in \(directory.path). Keep a copy of the directory and of \(directory.keyFile):")
        words.line("without them nobody who registers later shares keys with those who did. The service signs with:")
        try Output.standardOutput().line(signing)
    }
}

/// Serves a D-TA until it is stopped.
struct MPinAuthorityServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve a D-TA.",
        discussion: """
            Answers GET /clientSecret, /serverSecret and /healthz. It records each identity before a share leaves, and \
            refuses the identity after 24 hours.

            Example:
              tenure dta serve --directory /var/lib/tenure-dta --port 8001
            """)

    @OptionGroup var place: MPinAuthorityPlace

    @Option(help: "The address to bind.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 8001

    @Option(help: ArgumentHelp("A certificate chain in PEM; with it the D-TA speaks TLS.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The certificate's key in PEM.", valueName: "file"))
    var certificateKey: String?

    @Flag(help: "Permit clear text beyond loopback, behind a proxy that terminates TLS.")
    var clearTextAllowed = false

    @Option(help: "The most connections that one address may have open.")
    var connectionsPerAddress = MPinAuthorityConfiguration.usualConnections.connectionsPerAddress

    @Option(
        help: ArgumentHelp(
            "The address or the network of proxies in front, which carry the connections of many. May be given more "
                + "than once.", valueName: "network"))
    var trustedProxy: [String] = []

    /// A development service holds the other end, so that its D-TAs end with it however it ends.
    @Flag(help: .hidden)
    var untilInputEnds = false

    func validate() throws {
        guard (certificate == nil) == (certificateKey == nil) else {
            throw ValidationError("--certificate and --certificate-key belong together.")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535.") }
        guard connectionsPerAddress > 0 else { throw ValidationError("--connections-per-address takes 1 or more.") }
    }

    func run() async throws {
        let hangups = await HangupSignals()
        defer { withExtendedLifetime(hangups) {} }
        let logger = Logs.logger(level: .info)
        let (ports, told) = AsyncStream<Int>.makeStream()
        var http = MPinAuthorityConfiguration(host: host, port: port, allowsClearText: clearTextAllowed) { port in
            told.yield(port)
            told.finish()
        }
        http.trustedProxies = try Settings.networks(trustedProxy, of: "--trusted-proxy")
        http.connections.connectionsPerAddress = connectionsPerAddress
        let descriptors = DescriptorAdmission(limit: .raise(), wanted: http.connections, others: 0)
        http.connections = descriptors.connections
        descriptors.log(logger)
        if let certificate, let certificateKey {
            let files = CertificateFiles(chain: certificate, key: certificateKey)
            do throws(CertificateFailure) { try files.check() } catch { throw CommandFailure.certificate(error) }
        }
        http.certificate = try serverCertificate(logger)
        let application = try makeMPinAuthorityApplication(
            issuer: try place.value.open(), configuration: http, logger: logger)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(
                service: HangupService(hangups, logger: logger) { [certificate = http.certificate] in
                    certificate?.reload()
                    return certificate != nil
                }),
            .init(service: application), .init(service: Announcement(ports: ports, logger: logger)),
        ]
        if let certificate = http.certificate { services.append(.init(service: certificate)) }
        if untilInputEnds {
            services.append(
                .init(service: MPinInputEnd(), successTerminationBehavior: .gracefullyShutdownGroup))
        }
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        do { try await ServiceGroup(configuration: configuration).run() } catch {
            guard let failure = ListenFailure(error) else { throw error }
            throw CommandFailure.listening(failure, host: host, port: port, setting: "--port")
        }
    }
}

extension MPinAuthorityServe {
    /// The certificate of the options; `nil` without them.
    private func serverCertificate(_ logger: Logger) throws -> ServerCertificate? {
        guard let certificate, let certificateKey else { return nil }
        do throws(ServerCertificateError) {
            return try ServerCertificate(chainFile: certificate, keyFile: certificateKey, logger: logger)
        } catch {
            throw CommandFailure(
                .usage, "the certificate cannot be used: \(error)",
                remedy: "Both are PEM files: \(certificate) and \(certificateKey).")
        }
    }
}

/// Waits for the end of standard input.
struct MPinInputEnd: Service {
    func run() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        // Reading blocks, so it has a thread of its own. The thread ends with the process.
        Thread.detachNewThread {
            while FileHandle.standardInput.availableData.isEmpty == false {}
            end.finish()
        }
        for await _ in ends.cancelOnGracefulShutdown() {}
    }
}
