import Keys
import Ledger

/// The tables whose rows carry a code.
///
/// A table that decides and is not here has another wall, which `docs/rows.md` names.
enum CodedTables {
    /// All of them, in the order of their names.
    static let all: [CodedTable] = [
        AuthorizationCodeRow.table.coded, BrowserSessionRow.table.coded, BrowserWaitRow.table.coded,
        Claim.table.coded, GrantRow.table.coded, SigningKeyRow.table(.idTokenES256).coded, ReplyRow.table.coded,
        MailRow.table.coded, MPinPass.table.coded, PagesAppRow.table.coded, RecoveryWaitingList.Row.table.coded,
        SessionRow.table.coded, SessionCutoff.Row.table.coded, TileCodes.Tile.table.coded,
        SigningKeyRow.table(.accessToken).coded,
    ]

    /// Those that only the application role reads, because they hold sealed secrets.
    static let secret: Set<String> = ["id_token_key", "pages_app", "token_key"]
}

extension UnauthenticRows {
    /// The counters in the Prometheus text format, one for each table.
    var metrics: String {
        let lines = CodedTables.all.map {
            "tenure_unauthentic_rows_total{table=\"\($0.name)\"} \(rows(of: $0))\n"
        }
        return """
            # HELP tenure_unauthentic_rows_total Rows that were refused because the service did not write them.
            # TYPE tenure_unauthentic_rows_total counter

            """ + lines.joined()
    }
}
