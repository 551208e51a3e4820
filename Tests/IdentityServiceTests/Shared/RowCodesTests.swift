import AccessTokens
import Canonical
import ErrorCodes
import Foundation
import Identity
import Logging
import TestSupport
import Testing

@testable import IdentityService
@testable import Keys
@testable import Ledger
@testable import Postgres

/// What the code of each table's rows covers, column by column. A row of an earlier program must stay readable, so no
/// line here ever changes.
@Suite struct RowCodesTests {
    private let ring = KeyRing.random()
    private let tenant = UUID(), id = UUID(), employee = UUID(), session = UUID(), app = UUID(), secret = UUID()
    private let client = UUID(), credential = UUID()
    private let start = Timestamp(microseconds: 1_800_000_000_000_001)
    private let middle = Timestamp(microseconds: 1_800_000_000_000_002)
    private let late = Timestamp(microseconds: 1_800_000_000_000_003)
    private let end = Timestamp(microseconds: 1_800_000_000_000_004)
    private let key = [UInt8](repeating: 1, count: 32)
    private let digest = [UInt8](repeating: 2, count: 32)

    private var ledger: RowValue { .uuid(tenant) }

    /// The code of the row that a statement writes: the only bound value with the form of one.
    private func code(_ sql: SQL) throws -> [UInt8] {
        let found = sql.parameters.ranges.compactMap { $0 }.map { Array(sql.parameters.bytes[$0]) }
            .filter { $0.count == 36 && $0.starts(with: ring.rowKeyID) }
        return try #require(found.count == 1 ? found.first : nil)
    }

    private func code(_ table: String, _ columns: KeyValuePairs<String, RowValue>) -> [UInt8] {
        ring.rowCode(CodedTable(table, key: [], covered: columns.map(\.key)), columns.map(\.value))
    }

    @Test func sessions() throws {
        let row = SessionRow(
            tenant: tenant, id: id, employee: employee, fingerprint: key, accessDigest: digest, accessEnd: start,
            refreshEnd: middle, createdAt: late, end: end, app: app, secret: secret, tenantVersion: 7, methods: "pop")
        let right = code(
            "session",
            [
                "ledger_id": ledger, "session_id": .uuid(id), "employee_id": .uuid(employee),
                "fingerprint": .bytes(key), "access_digest": .bytes(digest),
                "access_expires_at": .time(start.microseconds), "refresh_expires_at": .time(middle.microseconds),
                "created_at": .time(late.microseconds), "ends_at": .time(end.microseconds), "app_id": .uuid(app),
                "secret_id": .uuid(secret), "tenant_version": .integer(7), "refresh_counter": .integer(0),
                "methods": .text("pop"), "used_at": .null,
            ])
        #expect(row.rightCode(ring) == right)
        let cutoff = SessionCutoff.Row(ledger: tenant, subject: app, version: 3, createdAt: start)
        let rightCutoff = code(
            "session_cutoff",
            [
                "ledger_id": ledger, "subject": .uuid(app), "tenant_version": .integer(3),
                "created_at": .time(start.microseconds),
            ])
        #expect(try code(cutoff.insertion(ring)) == rightCutoff)
        let browser = BrowserSessionRow(
            tenant: tenant, id: id, session: session, employee: employee, digest: digest, openedAt: start, end: end)
        let rightBrowser = code(
            "browser_session",
            [
                "ledger_id": ledger, "browser_session_id": .uuid(id), "session_id": .uuid(session),
                "employee_id": .uuid(employee), "digest": .bytes(digest), "opened_at": .time(start.microseconds),
                "ends_at": .time(end.microseconds),
            ])
        #expect(try code(browser.insertion(ring)) == rightBrowser)
    }

    @Test(arguments: [false, true]) func waits(isMailed: Bool) throws {
        let mail = isMailed ? BrowserWaitRow.Mail(id: credential, until: late, address: 9) : nil
        let row = BrowserWaitRow(
            tenant: tenant, flow: id, digest: digest, employee: employee, fingerprint: key, credential: credential,
            app: app, methods: "pop", provedAt: start, request: isMailed ? [5] : nil, origin: [6], mail: mail,
            tries: 4, expiresAt: end)
        let right = code(
            "browser_wait",
            [
                "ledger_id": ledger, "flow_id": .uuid(id), "digest": .bytes(digest), "employee_id": .uuid(employee),
                "fingerprint": .bytes(key), "credential_id": .uuid(credential), "app_id": .uuid(app),
                "methods": .text("pop"), "proved_at": .time(start.microseconds),
                "request": .bytes(isMailed ? [5] : nil), "origin": .bytes([6]),
                "mail_id": .uuid(isMailed ? credential : nil),
                "mail_until": .time(isMailed ? late.microseconds : nil), "address": .integer(isMailed ? 9 : nil),
                "tries": .integer(4), "expires_at": .time(end.microseconds),
            ])
        #expect(try code(row.insertion(ring)) == right)
    }

    @Test(arguments: [false, true]) func grants(isPublic: Bool) throws {
        let row = GrantRow(
            tenant: tenant, id: id, session: session, employee: employee, fingerprint: key,
            client: client, secret: isPublic ? nil : secret, app: app, tenantVersion: 7,
            scopes: [.openid, .offlineAccess], methods: "pop", authenticatedAt: start, counter: 5, refreshedAt: middle,
            accessEnd: late, end: end, openedIn: credential)
        let right = code(
            "client_grant",
            [
                "ledger_id": ledger, "grant_id": .uuid(id), "session_id": .uuid(session),
                "employee_id": .uuid(employee), "fingerprint": .bytes(key), "client_id": .uuid(client),
                "secret_id": .uuid(isPublic ? nil : secret), "app_id": .uuid(app), "tenant_version": .integer(7),
                "scopes": .text("openid offline_access"), "methods": .text("pop"),
                "authenticated_at": .time(start.microseconds), "refresh_counter": .integer(5),
                "refreshed_at": .time(middle.microseconds), "access_expires_at": .time(late.microseconds),
                "ends_at": .time(end.microseconds), "opened_in": .uuid(credential),
            ])
        #expect(try code(row.insertion(ring)) == right)
    }

    @Test(arguments: [nil, "n"]) func authorizationCodes(nonce: String?) throws {
        let row = AuthorizationCodeRow(
            tenant: tenant, id: id, digest: digest, session: session, employee: employee, client: client,
            redirect: "https://a.example/", challenge: key, nonce: nonce, scopes: [.openid], isDead: true,
            expiresAt: middle, forgetAt: late, methods: "pop", authenticatedAt: start)
        let right = code(
            "authorization_code",
            [
                "ledger_id": ledger, "code_id": .uuid(id), "digest": .bytes(digest), "session_id": .uuid(session),
                "employee_id": .uuid(employee), "client_id": .uuid(client), "redirect": .text("https://a.example/"),
                "challenge": .bytes(key), "nonce": .text(nonce), "scopes": .text("openid"), "is_dead": .flag(true),
                "expires_at": .time(middle.microseconds), "forget_at": .time(late.microseconds),
                "methods": .text("pop"), "authenticated_at": .time(start.microseconds),
            ])
        #expect(try code(row.insertion(ring)) == right)
    }

    @Test(arguments: [nil, "https://id.example"]) func keys(url: String?) throws {
        let pages = try PagesAppRow(app: app, secret: secret, text: "s", publicURL: url, changedAt: start, ring)
        let rightPages = code(
            "pages_app",
            [
                "is_only": .flag(true), "app_id": .uuid(app), "secret_id": .uuid(secret),
                "sealed": .bytes(pages.sealed), "public_url": .text(url), "changed_at": .time(start.microseconds),
            ])
        #expect(try code(pages.replacement(ring)) == rightPages)
        let key = TokenSigningKey()
        let token = try SigningKeyRow(of: key, .accessToken, createdAt: start, signsFrom: end, ring)
        let rightToken = code(
            "token_key",
            [
                "key_id": .text(key.publicKey.keyID), "sealed": .bytes(token.sealed),
                "created_at": .time(start.microseconds), "signs_from": .time(end.microseconds),
            ])
        #expect(try code(token.insertion(ring)) == rightToken)
        let idToken = try SigningKeyRow(of: key, .idTokenES256, createdAt: start, signsFrom: end, ring)
        let rightIDToken = code(
            "id_token_key",
            [
                "key_id": .text(key.publicKey.keyID), "algorithm": .text("ES256"), "sealed": .bytes(idToken.sealed),
                "created_at": .time(start.microseconds), "signs_from": .time(end.microseconds),
            ])
        #expect(try code(idToken.insertion(ring)) == rightIDToken)
    }

    @Test func `recovery requests and mails`() throws {
        let fingerprint = try #require(KeyFingerprint(key))
        let target = User.RecoveryTarget(
            tenant: TenantID(tenant), employee: EmployeeID(employee), fingerprint: fingerprint)
        let right = code(
            "recovery_request",
            [
                "ledger_id": ledger, "employee_id": .uuid(employee), "fingerprint": .bytes(key),
                "expires_at": .time(end.microseconds), "is_open": .flag(true),
            ])
        #expect(try code(RecoveryWaitingList.opening(target, until: end, at: start, ring)) == right)
        let mail = QueuedMail(
            .activation, to: .identity(MPinIdentityID(id)), in: LedgerID(tenant), until: end, at: start,
            languages: ["de"])
        let rightMail = code(
            "mail_outbox",
            [
                "ledger_id": ledger, "mail_id": .uuid(mail.event.mailID.uuid), "recipient_kind": .text("identity"),
                "recipient_id": .uuid(id), "kind": .text(MailKind.activation.rawValue), "locale": .text("de"),
                "expires_at": .time(end.microseconds),
            ])
        #expect(try code(mail.insertion(ring)) == rightMail)
    }

    @Test(arguments: [false, true]) func `claims and tiles`(isPlain: Bool) throws {
        let claim = Claim(
            key: ClaimKey(ledger: LedgerID(tenant), kind: "email", digest: digest), owner: id,
            value: isPlain ? nil : [1], expiresAt: isPlain ? nil : end)
        let right = code(
            "claim",
            [
                "ledger_id": ledger, "kind": .text("email"), "key": .bytes(digest), "owner": .uuid(id),
                "value": .bytes(isPlain ? nil : [1]), "expires_at": .time(isPlain ? nil : end.microseconds),
            ])
        #expect(claim.rightCode(ring) == right)
        #expect(try code(claim.insertion(ring)) == right)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let tile = TileCodes.Tile(ledger: LedgerID(tenant), level: 2, index: 3, root: digest)
        let rightTile = code(
            "tile", ["ledger_id": ledger, "level": .integer(2), "index": .integer(3), "root": .bytes(digest)])
        #expect(TileCodes(ring, logger: logger).code(tile) == rightTile)
    }

    @Test func `stored replies`() throws {
        let form = WireForm<String>(
            answer: { StoredReply(status: 200, headers: [:], body: $0) },
            refusal: { _ in StoredReply(status: 400, headers: [:], body: "") })
        let ticket = IdempotencyTicket(
            key: "k", owner: "o", ring: ring, lease: start.postgres, expiresAt: end, call: Call(requestId: "r"),
            form: form)
        let right = { (state: String, answer: [UInt8]?) in
            code(
                "idempotency",
                [
                    "ledger_id": .uuid(ticket.ledger.uuid), "key": .bytes(ticket.digest),
                    "fingerprint": .bytes(ticket.fingerprint), "state": .text(state), "answer": .bytes(answer),
                    "expires_at": .time(end.microseconds),
                ])
        }
        #expect(try code(ticket.taking(at: start.postgres)) == right("running", nil))
        #expect(try code(ticket.settling([8], until: end, at: start.postgres)) == right("done", [8]))
    }

    @Test func passes() {
        var pass = MPinPass(
            tenant: tenant, id: id, app: app, mpinIDHash: digest, commitment: [3], challenge: [4], openedAt: start,
            expiresAt: end)
        let right = { (token: [UInt8]?, verdict: String?, sealed: [UInt8]?, isRedeemed: Bool) in
            code(
                "mpin_pass",
                [
                    "ledger_id": ledger, "pass_id": .uuid(id), "app_id": .uuid(app), "mpin_hash": .bytes(digest),
                    "commitment": .bytes([3]), "challenge": .bytes([4]), "opened_at": .time(start.microseconds),
                    "expires_at": .time(end.microseconds), "token": .bytes(token), "verdict": .text(verdict),
                    "sealed_id": .bytes(sealed), "redeemed": .flag(isRedeemed),
                ])
        }
        #expect(pass.rightCode(ring) == right(nil, nil, nil, false))
        pass.tokenDigest = key
        pass.verdict = .right
        pass.sealedID = [9]
        #expect(pass.rightCode(ring) == right(key, "right", [9], false))
        pass.verdict = .refused(.mpinRequestExpired)
        pass.isRedeemed = true
        #expect(pass.rightCode(ring) == right(key, "mpin.request_expired", [9], true))
    }
}
