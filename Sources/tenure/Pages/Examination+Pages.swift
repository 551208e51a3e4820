import Foundation
import IdentityService
import LocalDevelopment

extension Examination {
    /// Looks at what the pages for browsers need: a mail server, and the public URL that device keys belong to.
    func pages() async -> [Finding] {
        await inDatabase("pages") { reader in
            let settings = try await configured()
            // A development service writes its mails into a directory.
            let isDevelopment = FileManager.default.fileExists(atPath: state.mailDirectory)
            return Self.findings(
                try await PagesPresence.read(reader),
                hasMail: isDevelopment || !settings.namesService || settings.text(.smtpUrl) != nil,
                publicURL: try settings.publicOrigin())
        }
    }

    /// - Parameters:
    ///   - hasMail: Whether the service sends mails. A development service does.
    ///   - publicURL: The public URL of the settings; `nil` if they have none.
    static func findings(_ pages: PagesPresence?, hasMail: Bool, publicURL: String?) -> [Finding] {
        let subject = "pages"
        guard let pages else {
            return [
                Finding(
                    subject: subject, verdict: .note, detail: "disabled: nobody can log in in a browser",
                    remedy: "serve them with tenure pages enable")
            ]
        }
        var findings: [Finding] = []
        if let old = pages.publicURL, let publicURL, old != publicURL {
            findings.append(
                Finding(
                    subject: subject, verdict: .bad,
                    detail: "browsers' device keys belong to \(old), and the public URL is \(publicURL)",
                    remedy: "set the old one, or start the service once with --accept-public-url"))
        }
        if !hasMail {
            findings.append(
                Finding(
                    subject: subject, verdict: .note,
                    detail: "pages without mail cannot vouch for new devices: an admin or another device has to",
                    remedy: "name a mail server; see docs/mail.md"))
        }
        guard findings.isEmpty else { return findings }
        return [
            Finding(
                subject: subject, verdict: .good,
                detail: pages.publicURL.map { "enabled, for browsers that open \($0)" } ?? "enabled, not served yet")
        ]
    }
}
