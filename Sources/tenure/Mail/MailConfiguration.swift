import Foundation
import IdentityService
import Transfers

/// How a service sends mails, read from its settings.
struct MailConfiguration: Sendable {
    let settings: MailSettings
    let transport: any MailTransport
    /// The mail server; `nil` in development.
    var server: SMTPServer?

    /// Reads the settings of a production service; `nil` without a mail server.
    ///
    /// - Parameter patience: The longest time that one connection may take.
    /// - Throws: ``CommandFailure`` for settings that contradict each other or would send in clear text.
    init?(_ settings: Settings, patience: Duration = .seconds(30)) throws {
        guard let url = settings.text(.smtpUrl) else {
            let others: [Settings.Name] = [.smtpUser, .smtpPasswordFile, .smtpCaFile, .mailFrom]
            for name in others where settings.text(name) != nil {
                throw CommandFailure(.usage, "\(name.variable) needs \(Settings.Name.smtpUrl.variable)")
            }
            return nil
        }
        let from = try settings.required(.mailFrom)
        let origin = try settings.required(
            .publicUrl, remedy: "The links in mails need the address under which people reach the service.")
        guard MailSettings.isSender(from) else {
            throw CommandFailure(
                .usage, "\(Settings.Name.mailFrom.variable) names no address that mails can come from",
                remedy: "Write an address, or a name with it, such as Tenure <tenure@id.example>.")
        }
        guard let mail = MailSettings(publicURL: origin, sender: from) else {
            throw CommandFailure(
                .usage, "\(Settings.Name.publicUrl.variable) must be an origin with https:// or http://")
        }
        self.settings = mail
        let server = try Self.server(url, settings, greeting: mail.domain, patience)
        self.server = server
        transport = SMTPMailTransport(sender: SMTPSender(server: server))
    }

    /// The mails of a development service: files in its state directory.
    init?(development directory: MailDirectory, publicURL: String) {
        guard let mail = MailSettings(publicURL: publicURL, sender: "tenure@localhost") else { return nil }
        settings = mail
        transport = directory
    }

    /// Parses `smtp://host:port` (STARTTLS, except on loopback) or `smtps://host:port`.
    private static func server(
        _ url: String, _ settings: Settings, greeting: String, _ patience: Duration
    ) throws -> SMTPServer {
        let malformed = CommandFailure(
            .usage, "\(Settings.Name.smtpUrl.variable) must be smtp://host:port or smtps://host:port",
            remedy: "User and password have settings of their own: see docs/mail.md.")
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, let named = parts.host,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.path.isEmpty || parts.path == "/"
        else { throw malformed }
        let host = named.hasPrefix("[") ? String(named.dropFirst().dropLast()) : named
        let security: SMTPServer.Security
        switch scheme {
        case "smtps": security = .tls
        // A server on the same machine often has no certificate. With the file of an authority it must have one.
        case "smtp": security = SMTPServer.isLoopback(host) && settings.text(.smtpCaFile) == nil ? .none : .startTLS
        default: throw malformed
        }
        let login: SMTPServer.Login?
        switch (settings.text(.smtpUser), settings.text(.smtpPasswordFile)) {
        case (nil, nil): login = nil
        case (let user?, let file?): login = SMTPServer.Login(user: user, password: try password(in: file))
        default:
            throw CommandFailure(
                .usage,
                "set both \(Settings.Name.smtpUser.variable) and \(Settings.Name.smtpPasswordFile.variable), or neither"
            )
        }
        do {
            return try SMTPServer(
                host: host, port: parts.port ?? (security == .tls ? 465 : 587), security: security, login: login,
                authorityFile: settings.text(.smtpCaFile), greeting: greeting, patience: patience)
        } catch {
            throw malformed
        }
    }

    /// The first line of a file.
    private static func password(in file: String) throws -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let line = text.split(whereSeparator: \.isNewline).first
        else { throw CommandFailure(.usage, "\(file) cannot be read, or has no password") }
        return String(line)
    }
}
