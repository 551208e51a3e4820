import Keys
import Ledger

@testable import IdentityService

/// How a change of a row by somebody who writes the database without the keys is noticed, for every table and column.
///
/// `docs/rows.md` has the table, and a test takes the list of columns from the schema: a new column needs a line
/// here.
enum RowWalls {
    /// Some columns of a table that are protected in the same way.
    struct Wall: Sendable {
        /// The table, without its schema.
        let table: String
        /// The columns, in the order of the schema.
        let columns: [String]
        /// How a change is noticed, and what it is worth.
        let noticed: String

        init(_ table: String, _ columns: String, _ noticed: String) {
            self.table = table
            self.columns = columns.split(separator: " ").map(String.init)
            self.noticed = noticed
        }

        /// The columns that a code covers, and the code.
        init(_ table: CodedTable, _ noticed: String) {
            self.table = table.name
            columns = table.key + table.covered + ["mac"]
            self.noticed = "code; the row is refused, counted, and named by `tenure doctor`. " + noticed
        }
    }

    /// All of them, in the order of tables.
    static let all = history + keys + requests + sessions + others + projections

    /// The table of the documentation, in Markdown.
    static var page: String {
        let lines = all.map { wall in
            "| `\(wall.table)` | \(wall.columns.map { "`\($0)`" }.joined(separator: " ")) | \(wall.noticed) |\n"
        }
        return "| table | columns | how a change is noticed |\n|---|---|---|\n" + lines.joined()
    }

    private static let history = [
        Wall(
            "event",
            "ledger_id position event_id stream_id kind version type time entry code leaf",
            "a code of its own; readers refuse the row, and the sealer disowns it if no checkpoint covers it. "
                + "`verify`: entries, columns, signatures and proofs; see above"),
        Wall(
            "ledger", "ledger_id size time",
            "the sealer recounts the events, sets the head right, counts and names it; `verify`"),
        Wall("ledger", "changed", "not noticed; a lower mark delays checkpoints and projections until the next append"),
        Wall(
            "ledger", "accepted",
            "`verify` reports an event that is ahead of the clock without a `LedgerTimeAccepted`"),
        Wall(TileCodes.Tile.table.coded, "It is computed from the events and replaced"),
        Wall("tile", "hashes", "`verify` recomputes them from the entries; nothing else reads them"),
        Wall(
            "checkpoint", "ledger_id size root note",
            "the signature of the note, and the records of the system ledger: the sealer sets the row right within a "
                + "round, counts and names it; `verify`; a shorter log than the anchor stops the start"),
        Wall(
            Claim.table.coded,
            "A deleted claim is missing: the name can be registered again, which the log shows as two owners. "
                + "`tenure doctor` compares all claims with the log. An older row of the same claim is a former owner's; the "
                + "use case then reads the owner's stream, which says that it has ended"),
    ]

    private static let keys = [
        Wall(
            "person_key", "ledger_id key_id bucket epoch wrapped",
            "AES-GCM under the bucket's key, bound to all other columns; a deletion looks like an erasure, which the log "
                + "does not have"),
        Wall(
            "oprf_seed", "ledger_id credential_id purpose epoch wrapped",
            "AES-GCM under the bucket's key, bound to all other columns"),
        Wall(
            "bucket_key", "bucket epoch master_version wrapped",
            "AES-GCM under the master key, bound to all other columns"),
        Wall(
            "purpose_key", "purpose master_version wrapped",
            "AES-GCM under the master key, bound to all other columns; the first event has a check value"),
        Wall(
            "erasure", "ledger_id person_id kind recorded_at master_version destroyed_at",
            "not noticed; the event and the erase list beside the keys say who was erased, and a row without the event erases "
                + "nobody. A deleted row hides that keys are "
                + "left to destroy; `tenure erase --reapply` repeats it"),
        Wall(
            SigningKeyRow.table(.accessToken).coded,
            "A row that was put back is published, but no longer signs: who checks tokens alone believes an ended key again"
        ),
        Wall(
            SigningKeyRow.table(.idTokenES256).coded,
            "A row that was put back is published, but no longer signs: who checks tokens alone believes an ended key again"
        ),
        Wall(
            PagesAppRow.table.coded,
            "Without the row there are no pages. An older row has a secret that the log has ended, or the "
                + "public URL of then, which stops the next start"),
        Wall(
            "mpin_server_key", "ledger_id epoch sealed",
            "AES-GCM, bound to tenant and epoch; fetched again if it does not open"),
    ]

    private static let requests = [
        Wall(
            "flow", "ledger_id flow_id sealed",
            "AES-GCM under a key that the caller's handle yields, bound to the id. An older state repeats a step of the same "
                + "flow by whoever has the handle: its attempt was charged, and its end is in the log"),
        Wall(
            "flow", "version expires_at",
            "not noticed; the version only decides between two requests at once, and the sealed state has the end too"),
        Wall(
            ReplyRow.table.coded,
            "The reply is sealed under the caller's key besides. A deleted row lets a call be made again"),
        Wall("idempotency", "lease_until", "not noticed; a lease: a call is repeated or waits"),
        Wall(
            "budget", "ledger_id key spent lifetime refilled_at blocked_until forget_at",
            "SQL counts it. `verify` compares the charges in the log, which say how much was spent: a budget that was lowered "
                + "shows at its next charge. Until then a database writer has free guesses, each at the cost of one scrypt and "
                + "one event"),
        Wall(RecoveryWaitingList.Row.table.coded, "The list decides nothing: a recovery is in the log"),
        Wall("recovery_request", "requested_at", "not noticed; it sorts the list"),
        Wall(
            MPinPass.table.coded,
            "An older row lets the app redeem a right proof again within its 60 seconds; every session that it opens "
                + "is in the log. A wrong proof was counted in the log before"),
    ]

    private static let sessions = [
        Wall(
            SessionRow.table.coded,
            "An access token must say what the row says. A row that was put back is found at the next refresh, which "
                + "reads the end in the log: it is worth an access token's lifetime. An older row of a session in force lets "
                + "an older refresh token be used, by whoever has it, and ends the session of an admin's browser sooner"
        ),
        Wall(
            SessionCutoff.Row.table.coded,
            "A row without a right code ends the sessions. A deleted one is worth an access token's lifetime: at a "
                + "refresh the streams of tenant and app decide"),
        Wall(
            "refresh_reply", "ledger_id session_id refresh_counter exchanged_at sealed",
            "AES-GCM under a key that the presented token yields, bound to all other columns"),
        Wall(BrowserSessionRow.table.coded, "It is worth nothing without its session"),
        Wall(
            BrowserWaitRow.table.coded,
            "A session needs the device's signature and one more event, which the log takes once. An older row "
                + "gives five more tries at a code of 40 bits"),
        Wall(
            "authorization_request", "ledger_id request_id sealed",
            "AES-GCM under a key that the handle yields; a deleted row is a request that begins again"),
        Wall(
            "authorization_request", "version expires_at",
            "not noticed; the version only decides between two requests at once, and the sealed request has the end too"
        ),
        Wall(AuthorizationCodeRow.table.coded, "A code opens one grant, which the log shows, whatever the row says"),
        Wall(
            GrantRow.table.coded,
            "Each use reads the log, which has the end of grant, link, key, person and credentials. An older row of a grant in "
                + "force lets older tokens be used, by whoever has them"),
    ]

    private static let others = [
        Wall(
            MailRow.table.coded,
            "A mail whose end is in the log is not sent again. A deleted row is a mail that is not sent: its event "
                + "has no end"),
        Wall(
            "mail_outbox", "next_try lease_until attempts",
            "not noticed; a mail is sent sooner, later or twice, or its address gets one more"),
        Wall(
            "lease", "name holder expires_at",
            "not noticed; the application role cannot write it, and it decides nothing"),
    ]

    private static let projections = [
        Wall(
            "projection_generation",
            "projection live building building_revision live_revision", readModel),
        Wall(
            "projection_progress",
            "ledger_id projection generation position failed_at_position failure", readModel),
        Wall(
            "tenants",
            "ledger_id generation company_name founded_at employees confirmed_domain "
                + "key_authorization approval blind_only questions_with_passphrase linked_apps "
                + "security_admin_id changed_position registration_mode recovery_delay_hours "
                + "admin_session_hours log_in admins_need_passkey cloned_key", readModel),
        Wall(
            "tenant_cancelled_employees",
            "ledger_id generation employee_id", readModel),
        Wall(
            "employees",
            "ledger_id generation employee_id user_id company_employee_id email "
                + "is_company_owned_email status role is_approved is_appointed is_reclaimed registered_at "
                + "registered_position changed_at changed_position is_provisional is_released "
                + "is_email_verified", readModel),
        Wall(
            "employee_keys",
            "ledger_id generation employee_id key state is_first flow_id presented_at "
                + "presented_position presented_event_id decided_at decided_position decided_event_id "
                + "decided_by decided_by_id reason note fingerprint", readModel),
        Wall(
            "first_security_admins",
            "ledger_id generation employee_id event_id position since current_employee_id "
                + "current_event_id current_position current_since", readModel),
        Wall(
            "pending_authorizations",
            "ledger_id generation employee_id key is_first flow_id presented_at presented_position "
                + "presented_event_id presented_leaf fingerprint", readModel),
        Wall(
            "mpin_identities",
            "ledger_id generation identity_id user_id device_name verification status employee_id "
                + "failures started_at started_position expires_at end_reason changed_position", readModel),
    ]

    private static let readModel =
        "not noticed; the application role cannot write it, and no decision reads it. `tenure rebuild --dry-run` compares"
}
