import Canonical
import Foundation
import Testing

/// A program that serves SMTP for one test on a free port of loopback.
final class MailPeer {
    let port: Int
    let directory: URL
    private let process: Process
    private let input = Pipe()

    /// Why no program can be started; `nil` if it can.
    static let hint = "python3 with aiosmtpd is not installed: run the tests by scripts/test"
    /// Whether python3 has aiosmtpd.
    static let hasPython = succeeds(["/usr/bin/env", "python3", "-c", "import aiosmtpd"])
    /// Where exim4 is; `nil` if it is not installed.
    static let exim = ["/usr/sbin/exim4", "/usr/bin/exim4"].first(where: FileManager.default.isExecutableFile)

    private static let server = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("mail_server.py").path

    /// Starts the server of `mail_server.py` in a mode: `plain`, `starttls`, `login`, `away`, `busy` or `silent`.
    static func python(_ mode: String) async throws -> MailPeer {
        let directory = try temporaryDirectory(), port = try freePort()
        for name in ["right", "foreign"] {
            let files = (
                directory.appendingPathComponent("\(name).pem").path,
                directory.appendingPathComponent("\(name).key").path
            )
            try #require(
                succeeds([
                    "/usr/bin/env", "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", files.1,
                    "-out", files.0, "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1",
                ]))
        }
        return try await MailPeer(
            [
                "/usr/bin/env", "python3", server, mode, "\(port)",
                directory.appendingPathComponent("right.pem").path,
                directory.appendingPathComponent("right.key").path,
            ], port, directory)
    }

    /// Starts exim4 with a configuration of the test's own: it delivers mails to `local.example` into a Maildir.
    static func exim(_ program: String) async throws -> MailPeer {
        let directory = try temporaryDirectory(), port = try freePort(), path = directory.path
        for name in ["log", "spool", "mail"] {
            try FileManager.default.createDirectory(
                at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        // exim4 never delivers as root. Debian has a user for mail.
        let isRoot = NSUserName() == "root"
        let owner = isRoot ? "mail" : NSUserName(), owners = isRoot ? "mail" : group()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: directory.appendingPathComponent("mail").path)
        let configuration = """
            primary_hostname = localhost
            log_file_path = \(path)/log/%slog
            spool_directory = \(path)/spool
            pid_file_path = \(path)/exim.pid
            acl_smtp_rcpt = check_recipient
            acl_smtp_data = check_data
            never_users =
            tls_advertise_hosts =
            keep_environment =
            exim_user = \(NSUserName())
            exim_group = \(group())
            begin acl
            check_recipient:
              deny local_parts = nobody
                message = no such mailbox
              accept domains = local.example
              deny message = relay not permitted
            check_data:
              accept
            begin routers
            mailbox:
              driver = accept
              domains = local.example
              transport = file
            begin transports
            file:
              driver = appendfile
              directory = \(path)/mail
              maildir_format
              create_directory
              user = \(owner)
              group = \(owners)

            """
        let file = directory.appendingPathComponent("exim.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        return try await MailPeer(
            [program, "-C", file.path, "-bdf", "-oX", "[127.0.0.1]:\(port)"], port, directory)
    }

    private init(_ command: [String], _ port: Int, _ directory: URL) async throws {
        self.port = port
        self.directory = directory
        process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        let output = directory.appendingPathComponent("output")
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500 {
            if Self.answers(port) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the mail server did not start")
    }

    /// Stops the program and removes its files.
    func stop() {
        // A program inherits the signals that the threads of tasks block, SIGTERM among them.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    /// The mails that the server of `mail_server.py` received so far.
    func received() throws -> [JSONValue] {
        let text = try String(contentsOf: directory.appendingPathComponent("output"), encoding: .utf8)
        return try text.split(separator: "\n").map { try StrictJSON.parse(Array($0.utf8)) }
            .filter { $0["event"]?.text == "mail" }
    }

    /// The mails that exim4 delivered so far.
    func delivered() throws -> [String] {
        let folder = directory.appendingPathComponent("mail/new")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return try files.map { try String(contentsOf: $0, encoding: .utf8) }
    }

    private static func temporaryDirectory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-mail-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    private static func group() -> String {
        output(["/usr/bin/env", "id", "-gn"]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A port that nobody listens on now.
    private static func freePort() throws -> Int {
        let script = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
        let text = output(["/usr/bin/env", "python3", "-c", script])
        return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    private static func answers(_ port: Int) -> Bool {
        let script = "import socket; socket.create_connection(('127.0.0.1', \(port)), 1).close()"
        return succeeds(["/usr/bin/env", "python3", "-c", script])
    }

    private static func succeeds(_ command: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private static func output(_ command: [String]) -> String {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return "" }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
