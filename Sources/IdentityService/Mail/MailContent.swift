import Canonical
import FoundationEssentials
import Identity

/// The bytes of a mail: header, plain text and HTML, all in ASCII lines that end with CRLF.
///
/// The same mail always has the same bytes but for the date, so a second copy shows as one. No text of a caller reaches
/// the header. In the body there is the tenant's confirmed domain, its name percent-encoded in the path of a link, and
/// names in ``MailFacts``, of which no mail program makes a link.
struct MailContent {
    let id: MailID
    let kind: MailKind
    let language: MailLanguage
    let settings: MailSettings
    let recipient: DeliverableAddress
    /// Whether a mail about a device is about the first one of an account.
    var isFirst = false
    /// What the sentences name besides the end.
    var values: [String] = []
    /// The confirmed domain of the tenant that the mail is about, if it has one.
    let domain: String?
    /// The link, which is ASCII without spaces.
    let link: String?
    /// When the link expires.
    let end: Timestamp
    var facts = MailFacts()
    /// Who waits, for the mail to an admin that says so.
    var waiting: WaitSummary?
    /// The link that stops such mails.
    var stopLink: String?

    /// Composes the mail as of a time.
    func bytes(at time: Timestamp) -> [UInt8] {
        let texts = MailTexts(
            kind, isFirst: isFirst, values: values, domain: domain.map(Self.oneLine), by: settings.brand.name,
            until: end, in: language, waiting: waiting)
        let boundary = "tenure-\(id)"
        var lines = [
            "From: \(from)",
            "To: <\(recipient.text)>",
            "Subject: \(Self.encodedWords(texts.subject))",
            "Date: \(MailDate.text(time))",
            "Message-ID: <\(id)@\(settings.domain)>",
            "Auto-Submitted: auto-generated",
            "Content-Language: \(language.rawValue)",
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;",
            " boundary=\"\(boundary)\"",
            "",
        ]
        if let stopLink {
            // Mail programs show a button (RFC 8058).
            lines.insert(
                contentsOf: [
                    "List-Unsubscribe: <\(stopLink)>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
                ], at: 6)
        }
        for (type, text) in [("text/plain", plain(texts)), ("text/html", html(texts))] {
            lines += [
                "--\(boundary)", "Content-Type: \(type); charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable", "",
            ]
            lines += QuotedPrintable.lines(text)
        }
        lines += ["--\(boundary)--", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// The sender: a name is quoted, or encoded if it is not ASCII.
    private var from: String {
        let address = "<\(settings.sender)>"
        let name = settings.senderName ?? settings.brand.name
        let encoded = Self.encodedWords(name)
        let quoted = name.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        return "\(encoded == name ? "\"\(quoted)\"" : encoded)\r\n \(address)"
    }

    private func plain(_ texts: MailTexts) -> String {
        var parts = [texts.sentences.joined(separator: "\n")]
        if let link { parts.append(link) }
        let rows = facts.rows(MailTexts.words(of: language))
        if !rows.isEmpty { parts.append(rows.map { "\($0.label): \($0.value)" }.joined(separator: "\n")) }
        parts += [texts.closing, texts.secret] + (settings.brand.contact.map { [$0] } ?? []) + [texts.origin]
        if let stopLink, let stop = texts.stop { parts.append("\(stop)\n\(stopLink)") }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The mail in the frame of the pages. Mail programs read styles in attributes only.
    private func html(_ texts: MailTexts) -> String {
        let brand = settings.brand, accent = brand.colour?.hex ?? Brand.tenureColour
        var parts = ["<h1 style=\"margin:0 0 16px;font-size:22px\">\(Self.escaped(texts.subject))</h1>"]
        parts.append("<p>\(texts.sentences.map(Self.escaped).joined(separator: "<br>\n"))</p>")
        if let link, let caption = texts.caption {
            let address = Self.escaped(link)
            let button = "display:inline-block;padding:12px 20px;border-radius:6px;background:\(accent);color:#ffffff"
            parts.append("<p><a href=\"\(address)\" style=\"\(button)\">\(Self.escaped(caption))</a></p>")
            parts.append("<p style=\"\(Self.small)\">\(address)</p>")
        }
        let rows = facts.rows(MailTexts.words(of: language)).map { label, value in
            "<tr><td style=\"padding:2px 16px 2px 0;color:#4a5366\">\(Self.escaped(label))</td>"
                + "<td>\(Self.escaped(value))</td></tr>"
        }
        if !rows.isEmpty { parts.append("<table role=\"presentation\">\n\(rows.joined(separator: "\n"))\n</table>") }
        parts += [texts.closing, texts.secret].map { "<p>\(Self.escaped($0))</p>" }
        if let stopLink, let stop = texts.stop {
            parts.append("<p><a href=\"\(Self.escaped(stopLink))\">\(Self.escaped(stop))</a></p>")
        }
        let contact = brand.contact.map { "<br>\n<a href=\"\(Self.escaped($0))\">\(Self.escaped($0))</a>" } ?? ""
        let head = "<meta charset=\"utf-8\"><title>\(Self.escaped(texts.subject))</title>"
        return """
            <!doctype html>
            <html lang="\(language.rawValue)"><head>\(head)</head>
            <body style="margin:0;padding:16px;background:#f6f7f9;color:#1c2230;font:16px/1.5 system-ui,sans-serif">
            <div style="max-width:34em;margin:0 auto">
            <p style="margin:0 0 12px;font-weight:600">\(Self.escaped(brand.name))</p>
            <div style="padding:20px;border:1px solid #7a8498;border-radius:8px;background:#ffffff">
            \(parts.joined(separator: "\n"))
            </div>
            <p style="\(Self.small)">\(Self.escaped(texts.origin))\(contact)</p>
            </div></body></html>

            """
    }

    private static let small = "color:#4a5366;font-size:14px;overflow-wrap:anywhere"

    /// Replaces control characters and line ends, which no domain contains.
    static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Escapes a text for HTML, attribute values included.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "<": "&lt;"
            case ">": "&gt;"
            case "&": "&amp;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: String(scalar)
            }
        }.joined()
    }

    /// The text of a subject in ASCII (RFC 2047). A line with an encoded word has at most 76 characters, the first one
    /// with the name of the header, so a long text takes several.
    static func encodedWords(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }
}

/// Text as 7-bit lines of at most 76 characters (RFC 2045 §6.7).
enum QuotedPrintable {
    /// Encodes a text; every line feed ends a line.
    static func lines(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).flatMap { line in
            var lines: [String] = [], current = ""
            let bytes = Array(line)
            for (index, byte) in bytes.enumerated() {
                let isLastSpace = byte == 0x20 && index == bytes.count - 1
                let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "=") && !isLastSpace
                let piece = isPlain ? String(UnicodeScalar(byte)) : "=" + hex(byte)
                if current.utf8.count + piece.utf8.count > 75 {
                    lines.append(current + "=")
                    current = ""
                }
                current += piece
            }
            return lines + [current]
        }
    }

    /// Decodes the lines of a part; for the page that shows mails in development.
    static func decode(_ lines: some Sequence<Substring>) -> String {
        var bytes: [UInt8] = []
        for line in lines {
            var rest = Array(line.utf8)[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "=") else {
                    bytes.append(byte)
                    continue
                }
                if rest.isEmpty { break }
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                bytes.append(UInt8(digits, radix: 16) ?? UInt8(ascii: "?"))
                rest = rest.dropFirst(2)
            }
            if !line.hasSuffix("=") { bytes.append(UInt8(ascii: "\n")) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}

/// The date of a mail (RFC 5322 §3.3), in UTC.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ time: Timestamp) -> String {
        // The text of a time is `2026-11-23T16:28:41.000000Z`.
        let parts = time.description.split(whereSeparator: { "-T.".contains($0) })
        let day = Int((time.microseconds / 86_400_000_000) % 7)
        guard parts.count == 5, let month = Int(parts[1]), months.indices.contains(month - 1),
            days.indices.contains(day)
        else { return "Thu, 01 Jan 1970 00:00:00 +0000" }
        return "\(days[day]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}
