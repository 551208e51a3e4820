import Foundation
import HTTPLimits

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Settings {
    /// The public origin of the service; `nil` if it is not set.
    ///
    /// - Throws: ``CommandFailure`` for a text that is no origin. A slash at the end is refused and not removed, because
    ///   access tokens name the origin byte by byte.
    func publicOrigin() throws -> String? {
        guard let text = text(.publicUrl) else { return nil }
        let variable = Name.publicUrl.variable
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme ?? ""),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.query == nil, parts.fragment == nil
        else {
            throw CommandFailure(
                .usage, "\(variable) is not the address of a service",
                remedy: "Write it as callers do, such as https://id.example, without a query or a user.")
        }
        guard text.last != "/" else {
            var corrected = text
            while corrected.last == "/" { corrected.removeLast() }
            throw CommandFailure(
                .usage, "\(variable) ends in a slash, and access tokens would name another issuer with it",
                remedy: "Write \(corrected)")
        }
        return text
    }

    /// The files that the service only reads.
    private static let readFiles: [Name] = [
        .tlsCertificateFile, .tlsKeyFile, .smtpPasswordFile, .smtpCaFile, .mpinDta1KeyFile, .mpinDta2KeyFile,
        .mpinCaFile,
    ]

    /// The files that the service writes or replaces, so that their directory must exist.
    private static let writtenFiles: [Name] = [.anchorFile, .operatorKeyFile]

    /// Checks that this process can read the files that the settings name, and that the directories of those it writes
    /// exist.
    ///
    /// - Throws: ``CommandFailure`` that names the setting, the path and the reason.
    func requireFiles() throws {
        for name in Self.readFiles {
            guard let path = text(name), let reason = Self.failureToRead(path) else { continue }
            throw CommandFailure(
                .usage, "\(name.variable) names \(path), which cannot be read: \(reason)",
                remedy: reason == Self.notPermitted
                    ? "This process runs as user \(Self.user). Let that user read the file."
                    : "Correct the path, or restore the file.")
        }
        for name in Self.writtenFiles {
            guard let path = text(name) else { continue }
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue
            else {
                throw CommandFailure(
                    .usage, "\(name.variable) names \(path), and there is no directory \(directory)",
                    remedy: "Correct the path, or make the directory.")
            }
        }
    }

    private static let notPermitted = String(cString: strerror(EACCES))

    /// The reason why a file cannot be read; `nil` if it can.
    private static func failureToRead(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return String(cString: strerror(errno)) }
        return status.st_mode & S_IFMT == S_IFDIR ? String(cString: strerror(EISDIR)) : nil
    }

    /// The name of the user of this process, or the number.
    static var user: String { name(ofUser: geteuid()) }

    /// The name of a user, or the number if the system has no name for it.
    static func name(ofUser id: uid_t) -> String {
        guard let entry = getpwuid(id), let name = entry.pointee.pw_name else { return "\(id)" }
        return String(cString: name)
    }
}

extension CommandFailure {
    /// Converts the reason why a certificate cannot be used.
    static func certificate(_ failure: CertificateFailure) -> CommandFailure {
        CommandFailure(.usage, failure.reason, remedy: failure.remedy)
    }

    /// Converts the reason why a server cannot listen.
    ///
    /// - Parameters:
    ///   - setting: How the caller names another port, such as `TENURE_LISTEN_PORT`.
    static func listening(_ failure: ListenFailure, host: String, port: Int, setting: String) -> CommandFailure {
        switch failure {
        case .portTaken:
            CommandFailure(
                .unreachable, "another program listens on port \(port) of \(host)",
                remedy: "Find it with: ss -ltnp 'sport = :\(port)'   or set \(setting) to a free port.")
        case .portReserved:
            CommandFailure(
                .notPermitted, "user \(Settings.user) may not listen on port \(port)",
                remedy: "Set \(setting) to a port above 1023, and let a proxy listen on port \(port).")
        case .addressUnknown:
            CommandFailure(
                .usage, "this machine has no address \(host) to listen on",
                remedy: "ip address shows those that it has; 0.0.0.0 and :: are all of them.")
        }
    }
}
