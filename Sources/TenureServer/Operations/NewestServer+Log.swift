import IdentityService
import Ledger
package import Postgres

extension NewestServer {
    /// A memory for the servers of a log, which begins with the anchor that an earlier process kept.
    ///
    /// A server is refused if its system ledger is smaller than the newest anchor says.
    ///
    /// - Parameter anchorFile: The path of the file with the newest anchor, if any.
    /// - Throws: ``AnchorFileError``.
    package static func ofLog(anchorFile: String? = nil) throws -> NewestServer {
        let anchor = try anchorFile.map { try AnchorFile(path: $0).read() } ?? nil
        let progress = Progress(
            [
                LedgerScope.statement([.system]),
                "SELECT coalesce((SELECT size FROM tenure.ledger WHERE ledger_id = \(LedgerID.system.uuid)), 0)",
            ],
            remedy: """
                These are entries of the system ledger, for which an anchor vouches. Use the server that has them. If \
                they are lost or another log was restored, stop the service, keep a copy of the anchor file, remove it \
                (TENURE_ANCHOR_FILE) and start again
                """)
        return NewestServer(
            anchor?.server, progress: progress, requiring: anchor?.checkpoint.checkpoint.size ?? 0)
    }
}
