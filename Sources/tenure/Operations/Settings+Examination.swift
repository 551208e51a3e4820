import Foundation
import HTTPAPI
import HTTPLimits
import IdentityService
import Keys
import Ledger
import Logging
import LocalDevelopment

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Settings {
    /// Whether the settings are those of a service, rather than of a client or of nothing.
    var namesService: Bool {
        [.databaseUrl, .readerDatabaseUrl, .masterKeyFile, .masterKeys].contains { text($0) != nil }
    }
}

/// The checks of `tenure doctor` of what `tenure serve` would do with the settings.
extension Examination {
    /// How long a certificate must still be valid to be good, in days.
    private static let certificateDays = 14

    /// Checks the settings of a service and what they name. Returns nothing without such settings.
    func ofService() async -> [Finding] {
        do {
            let settings = try await configured()
            guard settings.namesService else { return [] }
            return [Self.parts(settings), Self.masterKeys(settings)] + Self.certificate(settings)
                + [Self.address(settings), Self.anchorFile(settings)].compactMap { $0 }
                + (await roles(settings)) + (await schema())
        } catch {
            return [Finding(subject: "settings", error: error)]
        }
    }

    /// Reads the settings as the service does at its start.
    static func parts(_ settings: Settings) -> Finding {
        let subject = "settings"
        do {
            let parts = try ServiceParts(settings)
            _ = try Logs.logger(settings, default: .info)
            return Finding(
                subject: subject, verdict: .good,
                detail: "the service can start with them, and callers reach it at \(parts.http.address)")
        } catch {
            return Finding(subject: subject, error: CommandFailure(describing: error) as (any Error)? ?? error)
        }
    }

    /// Opens the master keys, and compares the owner of their file with the user of this process.
    static func masterKeys(_ settings: Settings, user: UInt32 = geteuid()) -> Finding {
        let subject = "master keys"
        do {
            let masters = try settings.masterKeyStore().keys
            let versions = Noun("version").counted(masters.heldVersions.count)
            guard let path = settings.text(.masterKeyFile) else {
                return Finding(
                    subject: subject, verdict: .good,
                    detail: "\(versions) in \(Settings.Name.masterKeys.variable); no command can rotate them there")
            }
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            let owner = (attributes?[.ownerAccountID] as? NSNumber)?.uint32Value ?? user
            let detail = "\(versions) in \(path), readable by \(Settings.name(ofUser: owner)) only"
            guard owner != user else { return Finding(subject: subject, verdict: .good, detail: detail) }
            let name = Settings.name(ofUser: owner)
            return Finding(
                subject: subject, verdict: .note,
                detail: detail + ", and this is \(Settings.name(ofUser: user))",
                remedy: "a service of \(name) reads them; to see what it sees: runuser -u \(name) -- tenure doctor")
        } catch {
            return Finding(subject: subject, error: CommandFailure(describing: error) as (any Error)? ?? error)
        }
    }

    /// Reads the certificate and its key, and looks at the end of its validity.
    static func certificate(_ settings: Settings, now: Date = Date()) -> [Finding] {
        let subject = "certificate"
        guard let chain = settings.text(.tlsCertificateFile), let key = settings.text(.tlsKeyFile) else { return [] }
        do throws(CertificateFailure) {
            let end = Date(timeIntervalSince1970: Double(try CertificateFiles(chain: chain, key: key).check()))
            let days = Int((end.timeIntervalSince(now) / 86_400).rounded(.down))
            let remedy = "replace \(chain) and \(key)"
            guard days >= 0 else {
                return [Finding(subject: subject, verdict: .bad, detail: "\(chain) has expired", remedy: remedy)]
            }
            let left = Noun("day").counted(days)
            return [
                Finding(
                    subject: subject, verdict: days < certificateDays ? .bad : .good,
                    detail: "\(chain) and its key belong together and are valid for \(left)",
                    remedy: days < certificateDays ? remedy : nil)
            ]
        } catch {
            return [Finding(subject: subject, error: CommandFailure.certificate(error))]
        }
    }

    /// Tries to listen where the service does. A port in use is a note, because the service may be running.
    static func address(_ settings: Settings) -> Finding? {
        guard let port = try? settings.number(.listenPort, in: 0...65_535, default: 8080), port > 0 else { return nil }
        let host = settings.text(.listenHost) ?? "127.0.0.1"
        let subject = "address"
        guard let failure = LocalPort.failureToListen(host: host, port: port) else {
            return Finding(subject: subject, verdict: .good, detail: "port \(port) of \(host) is free")
        }
        guard failure != .portTaken else {
            return Finding(
                subject: subject, verdict: .note, detail: "port \(port) of \(host) is in use",
                remedy: "tenure status says whether the service uses it; ss -ltnp 'sport = :\(port)' names the program")
        }
        let told = CommandFailure.listening(
            failure, host: host, port: port, setting: Settings.Name.listenPort.variable)
        return Finding(subject: subject, error: told)
    }

    /// Checks that the anchor file can be replaced.
    static func anchorFile(_ settings: Settings) -> Finding? {
        guard let path = settings.text(.anchorFile) else { return nil }
        let subject = "anchor file"
        let directory = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: directory) else {
            return Finding(
                subject: subject, verdict: .bad, detail: "\(Settings.user) may not replace files in \(directory)",
                remedy: "give the directory to the user of the service")
        }
        let exists = FileManager.default.fileExists(atPath: path)
        return Finding(
            subject: subject, verdict: exists ? .good : .note,
            detail: exists ? path : "none yet at \(path); the service writes it")
    }

    /// Checks that row-level security holds for the roles of the two URLs.
    private func roles(_ settings: Settings) async -> [Finding] {
        var findings: [Finding] = []
        let all: [(Settings.Name, Role, DatabaseRole)] = [
            (.databaseUrl, .application, .application), (.readerDatabaseUrl, .reader, .reader),
        ]
        for (name, role, expected) in all {
            guard settings.text(name) != nil else { continue }
            findings += await inDatabase(name.variable, as: role) { pool in
                try await expected.check(pool)
                return [
                    Finding(
                        subject: name.variable, verdict: .good,
                        detail: "connects, and row-level security holds for its role")
                ]
            }
        }
        return findings
    }
}
