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
            return .undelivered("the directory for mails cannot be written")
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

    private func file(_ id: UUID) -> URL { folder.appendingPathComponent("\(id.uuidString.lowercased()).eml") }
}
