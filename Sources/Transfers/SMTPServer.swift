/// A mail server that accepts mails for delivery, and how to speak to it.
package struct SMTPServer: Sendable {
    /// The protection of the connection.
    package enum Security: String, Sendable {
        /// The connection is encrypted by STARTTLS before anything is sent. A server without STARTTLS gets no mail.
        case startTLS
        /// The connection is encrypted from its first byte (RFC 8314).
        case tls
        /// The connection is not encrypted, which is permitted on loopback only.
        case none
    }

    /// A user of the server.
    package struct Login: Sendable, CustomStringConvertible {
        package var user: String
        package var password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        /// A placeholder that never contains the password.
        package var description: String { "[redacted]" }
    }

    /// The host name or the address.
    package let host: String
    package let port: Int
    /// The protection of the connection.
    package let security: Security
    /// The user to log in as; `nil` to send without a log-in.
    package let login: Login?
    /// A PEM file with the certificates of the authorities to trust; `nil` for those of the system.
    package let authorityFile: String?
    /// The name by which the sender greets the server: the domain of the sender's address.
    package let greeting: String
    /// The longest time that one mail may take, its connection included.
    package let patience: Duration

    /// - Throws: ``SMTPServerError`` if the connection would leave the machine in clear text, or a name is malformed.
    package init(
        host: String, port: Int, security: Security, login: Login? = nil, authorityFile: String? = nil,
        greeting: String = "localhost", patience: Duration = .seconds(30)
    ) throws(SMTPServerError) {
        guard Self.isName(host, also: ".-:"), Self.isName(greeting, also: ".-"), (1...65_535).contains(port) else {
            throw .malformed
        }
        guard security != .none || Self.isLoopback(host) else { throw .clearText }
        self.host = host
        self.port = port
        self.security = security
        self.login = login
        self.authorityFile = authorityFile
        self.greeting = greeting
        self.patience = patience
    }

    /// Whether a host is this machine: `localhost`, `::1`, or an address that starts with `127.`.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The URL as libcurl takes it; its path is the name of the greeting.
    var url: String {
        let scheme = security == .tls ? "smtps" : "smtp"
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(host):\(port)/\(greeting)"
    }

    private static func isName(_ text: String, also others: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: others.utf8.contains(byte)
                }
            }
    }
}

/// The reasons to refuse the settings of a mail server.
package enum SMTPServerError: Error, Sendable {
    /// Host, port or greeting is malformed.
    case malformed
    /// The connection would leave the machine in clear text.
    case clearText
}
