/// How a change of a row by somebody who writes the database without the keys is noticed, for every table and column.
///
/// `docs/rows.md` has the table, and a test takes the list of columns from the schema: a new column needs a line
/// here.
package enum RowWalls {
    /// Some columns of a table that are protected in the same way.
    package struct Wall: Sendable {
        /// The table, without its schema.
        package let table: String
        /// The columns, in the order of the schema.
        package let columns: [String]
        /// How a change is noticed, and what it is worth.
        package let noticed: String

        init(_ table: String, _ columns: String, _ noticed: String) {
            self.table = table
            self.columns = columns.split(separator: " ").map(String.init)
            self.noticed = noticed
        }
    }

    /// All of them, in the order of tables.
    package static let all = history + keys + requests + sessions + others + projections

    /// The table of the documentation, in Markdown.
    package static var page: String {
        let lines = all.map { wall in
            "| `\(wall.table)` | \(wall.columns.map { "`\($0)`" }.joined(separator: " ")) | \(wall.noticed) |\n"
        }
        return "| table | columns | how a change is noticed |\n|---|---|---|\n" + lines.joined()
    }

    private static let code = "code; the row is refused, counted, and named by `tenure doctor`. "

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
        Wall("tile", "ledger_id level index root mac", code + "It is computed from the events and replaced"),
        Wall("tile", "hashes", "`verify` recomputes them from the entries; nothing else reads them"),
        Wall(
            "checkpoint", "ledger_id size root note",
            "the signature of the note, and the records of the system ledger: the sealer sets the row right within a "
                + "round, counts and names it; `verify`; a shorter log than the anchor stops the start"),
        Wall(
            "claim", "ledger_id kind key owner value expires_at mac",
            code + "A deleted claim is missing: the name can be registered again, which the log shows as two owners. "
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
            "token_key", "key_id sealed created_at signs_from mac",
            code
                + "A row that was put back is published, but no longer signs: who checks tokens alone believes an ended key again"
        ),
        Wall(
            "id_token_key", "key_id algorithm sealed created_at signs_from mac",
            code
                + "A row that was put back is published, but no longer signs: who checks tokens alone believes an ended key again"
        ),
        Wall(
            "pages_app", "is_only app_id secret_id sealed public_url changed_at mac",
            code + "Without the row there are no pages. An older row has a secret that the log has ended, or the "
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
            "idempotency", "ledger_id key fingerprint state answer expires_at mac",
            code + "The reply is sealed under the caller's key besides. A deleted row lets a call be made again"),
        Wall("idempotency", "lease_until", "not noticed; a lease: a call is repeated or waits"),
        Wall(
            "budget", "ledger_id key spent lifetime refilled_at blocked_until forget_at",
            "SQL counts it. `verify` compares the charges in the log, which say how much was spent: a budget that was lowered "
                + "shows at its next charge. Until then a database writer has free guesses, each at the cost of one scrypt and "
                + "one event"),
        Wall(
            "recovery_request", "ledger_id employee_id fingerprint expires_at is_open mac",
            code + "The list decides nothing: a recovery is in the log"),
        Wall("recovery_request", "requested_at", "not noticed; it sorts the list"),
        Wall(
            "mpin_pass",
            "ledger_id pass_id app_id mpin_hash commitment challenge opened_at expires_at token verdict sealed_id redeemed mac",
            code
                + "An older row lets the app redeem a right proof again within its 60 seconds; every session that it opens "
                + "is in the log. A wrong proof was counted in the log before"),
    ]

    private static let sessions = [
        Wall(
            "session",
            "ledger_id session_id employee_id fingerprint access_digest access_expires_at refresh_expires_at created_at "
                + "ends_at app_id secret_id tenant_version refresh_counter methods mac",
            code
                + "An access token must say what the row says. A row that was put back is found at the next refresh, which "
                + "reads the end in the log: it is worth an access token's lifetime. An older row of a session in force lets "
                + "an older refresh token be used, by whoever has it"),
        Wall(
            "session_cutoff", "ledger_id subject tenant_version created_at mac",
            code
                + "A row without a right code ends the sessions. A deleted one is worth an access token's lifetime: at a "
                + "refresh the streams of tenant and app decide"),
        Wall(
            "refresh_reply", "ledger_id session_id refresh_counter exchanged_at sealed",
            "AES-GCM under a key that the presented token yields, bound to all other columns"),
        Wall(
            "browser_session", "ledger_id browser_session_id session_id employee_id digest opened_at ends_at mac",
            code + "It is worth nothing without its session"),
        Wall(
            "browser_wait",
            "ledger_id flow_id digest employee_id fingerprint credential_id app_id methods proved_at request origin "
                + "mail_id mail_until address tries expires_at mac",
            code
                + "A session needs the device's signature and one more event, which the log takes once. An older row "
                + "gives five more tries at a code of 40 bits"),
        Wall(
            "authorization_request", "ledger_id request_id sealed",
            "AES-GCM under a key that the handle yields; a deleted row is a request that begins again"),
        Wall(
            "authorization_request", "version expires_at",
            "not noticed; the version only decides between two requests at once, and the sealed request has the end too"
        ),
        Wall(
            "authorization_code",
            "ledger_id code_id digest session_id employee_id client_id redirect challenge nonce scopes is_dead "
                + "expires_at forget_at methods authenticated_at mac",
            code + "A code opens one grant, which the log shows, whatever the row says"),
        Wall(
            "client_grant",
            "ledger_id grant_id session_id employee_id fingerprint client_id secret_id app_id tenant_version scopes "
                + "methods authenticated_at refresh_counter refreshed_at access_expires_at ends_at opened_in mac",
            code
                + "Each use reads the log, which has the end of grant, link, key, person and credentials. An older row of a grant in "
                + "force lets older tokens be used, by whoever has them"),
    ]

    private static let others = [
        Wall(
            "mail_outbox", "ledger_id mail_id recipient_kind recipient_id kind locale expires_at mac",
            code
                + "A mail whose end is in the log is not sent again. A deleted row is a mail that is not sent: its event "
                + "has no end"),
        Wall("mail_outbox", "next_try lease_until attempts", "not noticed; a mail is sent sooner, later or twice"),
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
                + "admin_session_hours", readModel),
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
