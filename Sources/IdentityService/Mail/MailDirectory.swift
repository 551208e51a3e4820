import Canonical
import Foundation
package import FoundationEssentials

/// Writes each mail to a file `<id>.eml`, for development.
package struct MailDirectory: MailTransport {
    private let folder: URL

    /// The directory at a path; it is created with the first mail, for the owner only.
    package init(path: String) { folder = URL(fileURLWithPath: path, isDirectory: true) }

    /// Writes the file. A second copy replaces the first.
    package func send(_ mail: OutgoingMail) async -> MailOutcome {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data(mail.content).write(to: file(mail.id), options: .atomic)
            return .accepted
        } catch {
            return .unreached("the directory for mails cannot be written")
        }
    }

    /// The ids of the mails, the newest first.
    package func list() -> [UUID] {
        let files =
            (try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: [.contentModificationDateKey])) ?? []
        let dated = files.compactMap { url -> (UUID, Date)? in
            guard url.pathExtension == "eml",
                let id = UUID(uuidString: url.deletingPathExtension().lastPathComponent)
            else { return nil }
            let values = try? url.resourceValues(forKeys: [.contentModificationDateKey])
            return (id, values?.contentModificationDate ?? .distantPast)
        }
        return dated.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// The bytes of a mail; `nil` if there is none.
    package func read(_ id: UUID) -> [UInt8]? { (try? Data(contentsOf: file(id))).map(Array.init) }

    /// The header and the plain text of a mail, as people read it; `nil` if there is none.
    package func text(_ id: UUID) -> String? {
        guard let bytes = read(id) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        let header = lines.prefix { !$0.isEmpty }
        let part = lines.dropFirst(header.count + 1).drop { !$0.isEmpty }.dropFirst().prefix { !$0.hasPrefix("--") }
        return header.joined(separator: "\n") + "\n\n" + QuotedPrintable.decode(part)
    }

    /// What a list says of a mail.
    package struct Summary: Sendable, Equatable {
        package let id: UUID
        package let recipient: String
        package let subject: String
        /// The links in the plain text.
        package let links: [String]
    }

    /// What a list says of a mail; `nil` if there is none.
    package func summary(_ id: UUID) -> Summary? {
        guard let text = text(id) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let header = lines.prefix { !$0.isEmpty }
        func field(_ name: String) -> String {
            let start = "\(name): "
            guard let first = header.firstIndex(where: { $0.hasPrefix(start) }) else { return "" }
            let more = header[header.index(after: first)...].prefix { $0.hasPrefix(" ") }
            return String(header[first].dropFirst(start.count)) + more.joined()
        }
        let words = lines.dropFirst(header.count).flatMap { $0.split(separator: " ") }
        return Summary(
            id: id, recipient: field("To").filter { $0 != "<" && $0 != ">" }, subject: Self.decoded(field("Subject")),
            links: words.filter { $0.hasPrefix("http://") || $0.hasPrefix("https://") }.map(String.init))
    }

    /// The text of a subject as this service encodes it (RFC 2047).
    private static func decoded(_ subject: String) -> String {
        guard subject.hasPrefix("=?") else { return subject }
        let bytes = subject.split(separator: " ").flatMap { word in
            Base64.decode(String(word.dropFirst("=?utf-8?B?".count).dropLast("?=".count))) ?? []
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func file(_ id: UUID) -> URL { folder.appendingPathComponent("\(id.uuidString.lowercased()).eml") }
}
