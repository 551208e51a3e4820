package import Canonical
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// The app that the pages act as, as the operator sees it.
package struct PagesAppView: Sendable, Equatable {
    package let appId: UUID
    /// The secret that the service has sealed.
    package let secretId: UUID
    /// Whether the secret opens and is in force, so that the pages can act.
    package let isUsable: Bool
    /// The public URL that the service was last started with; `nil` if it was not started with pages yet.
    package let publicURL: String?
    /// When the secret was made.
    package let since: Timestamp
}

extension OperatorUseCases {
    /// The name of the app that ``enablePages()`` registers.
    package static let pagesAppName = "hosted pages"

    /// Enables the pages for browsers: makes their app, or gives the one of earlier a new secret.
    ///
    /// The secret is sealed and stored, and nobody sees it. Companies that link the app keep their link. Does nothing
    /// if the pages are enabled and can act.
    ///
    /// - Returns: The app, and whether anything changed.
    /// - Throws: `request.invalid` if another app has the name; ``OperatorKeyError``.
    @discardableResult
    package func enablePages() async throws -> (view: PagesAppView, changed: Bool) {
        let drawn = DrawnSecret(), new = AppID(UUID())
        return try await optimistic(retryingClaims: true) {
            if let view = try await pages(), view.isUsable { return (view, false) }
            let known = try await knownPagesApp()
            let app = try await StateLoader(reader: context.reader).app(known ?? new)
            var state = app.state
            var events = known == nil ? try await registration(of: new, state) : []
            apply(events, to: &state)
            let enabled = try await signing.decide(on: .app(app.id)) { decision in
                try App.decided(state, .enablePages(decision))
            }
            apply(enabled, to: &state)
            events += enabled
            let url = try await pagesRow()?.publicURL
            let (ended, row) = try await replacement(drawn, state, publicURL: url, atOnce: false)
            events += ended
            let name = Claim(key: context.ring.appClaim(name: Array(Self.pagesAppName.utf8)), owner: new.uuid)
            do {
                try await append(
                    events.map(\.payload), to: .app(app.id), version: app.version, claims: known == nil ? [name] : [],
                    effects: [row.replacement(context.ring)])
            } catch let error as LedgerError where error.code == .claimTaken {
                // Somebody else enabled the pages at the same time.
                if try await knownPagesApp() != known { throw error }
                throw ServiceError(
                    .requestInvalid,
                    members: [
                        .init(pointer: "/name", detail: "another app has the name \(Self.pagesAppName) already")
                    ])
            }
            return (view(row, isUsable: true), true)
        }
    }

    /// Replaces the secret of the pages, and with it the key that they vouch with. Running services follow at once.
    ///
    /// - Parameter atOnce: Whether the old secret's sessions end too, because somebody else may know it.
    /// - Throws: ``PagesError/disabled``, or ``OperatorKeyError``.
    @discardableResult
    package func rotatePages(atOnce: Bool) async throws -> PagesAppView {
        let drawn = DrawnSecret()
        return try await optimistic {
            guard let old = try await pagesRow() else { throw PagesError.disabled }
            let app = try await StateLoader(reader: context.reader).app(AppID(old.app))
            guard app.state.isPagesApp else { throw PagesError.disabled }
            let (events, row) = try await replacement(drawn, app.state, publicURL: old.publicURL, atOnce: atOnce)
            try await append(
                events.map(\.payload), to: .app(app.id), version: app.version,
                effects: [row.replacement(context.ring)])
            return view(row, isUsable: true)
        }
    }

    /// Disables the pages: revokes all secrets of their app, which ends the sessions that they opened, and deletes the
    /// stored one. The app stays registered, and companies keep their link to it.
    ///
    /// - Returns: Whether the pages were enabled.
    /// - Throws: ``OperatorKeyError``.
    @discardableResult
    package func disablePages() async throws -> Bool {
        try await optimistic {
            let hasRow = try await hasPagesRow()
            guard let id = try await knownPagesApp() else { return false }
            let app = try await StateLoader(reader: context.reader).app(id)
            var events: [AppEvent] = []
            for secret in app.state.secrets.values where !secret.isRevoked {
                events += try await signing.decide(on: .app(id)) { decision in
                    try App.decided(app.state, .revokeSecret(secret.id, decision))
                }
            }
            guard !events.isEmpty else {
                if hasRow { _ = try await context.pool.query(PagesAppRow.deletion, in: []) }
                return hasRow
            }
            try await append(
                events.map(\.payload), to: .app(id), version: app.version, effects: [PagesAppRow.deletion])
            return true
        }
    }

    /// Reads the app that the pages act as; `nil` while they are disabled.
    ///
    /// - Throws: ``LedgerError``.
    package func pages() async throws -> PagesAppView? {
        guard let row = try await pagesRow() else { return nil }
        let app = try await StateLoader(reader: context.reader).app(AppID(row.app))
        let caller = row.text(context.ring).flatMap { try? AppCaller(app, presenting: $0) }
        return view(row, isUsable: caller?.isPagesApp ?? false)
    }

    /// Returns the id of the app that companies link for the pages; `nil` if pages were never enabled.
    ///
    /// - Throws: ``LedgerError``.
    package func pagesApp() async throws -> UUID? { try await knownPagesApp()?.uuid }
}

extension OperatorUseCases {
    private func view(_ row: PagesAppRow, isUsable: Bool) -> PagesAppView {
        PagesAppView(
            appId: row.app, secretId: row.secret, isUsable: isUsable, publicURL: row.publicURL, since: row.changedAt)
    }

    private func pagesRow() async throws -> PagesAppRow? {
        try await PagesAppRow.read(context.pool, context.rows, at: context.settings.now())
    }

    /// Whether there is a row, whoever wrote it.
    private func hasPagesRow() async throws -> Bool {
        try await !context.pool.query("SELECT app_id FROM tenure.pages_app WHERE is_only", in: []).isEmpty
    }

    /// The app of the pages: that of the row, or the one that the log named last; `nil` if there was none.
    private func knownPagesApp() async throws -> AppID? {
        if let row = try await pagesRow(),
            try await StateLoader(reader: context.reader).app(AppID(row.app)).state.isPagesApp
        {
            return AppID(row.app)
        }
        var newest: AppID?
        var after: Int64 = 0
        while true {
            let page = try await context.reader.ledger(.system, after: after, limit: 500, types: [PagesEnabled.type])
            newest = page.events.last.map { AppID($0.stream.id) } ?? newest
            after = page.cursor
            guard page.hasMore else { return newest }
        }
    }

    private func registration(of id: AppID, _ state: App.State) async throws -> [AppEvent] {
        guard let salt = Bytes32(randomBytes(32)) else { throw ProgramDefect("a salt has another length") }
        return try await signing.decide(on: .app(id)) { decision in
            try App.decided(
                state, .register(id, name: Self.pagesAppName, salt: salt, customQuestions: false, decision))
        }
    }

    func apply(_ events: [AppEvent], to state: inout App.State) {
        for event in events {
            App.evolve(&state, Recorded(event, id: UUID(), time: context.settings.now(), position: 1, version: 1))
        }
    }

    /// Issues a secret, and ends all others in force.
    private func replacement(
        _ drawn: DrawnSecret, _ state: App.State, publicURL: String?, atOnce: Bool
    ) async throws -> (events: [AppEvent], row: PagesAppRow) {
        let issued = try await issue(drawn, state, roles: AppLinkRequest.Role.usual)
        var events = issued.events
        for old in state.secrets.values where old.isInForce {
            events += try await signing.decide(on: .app(AppID(issued.secret.appId))) { decision in
                try App.decided(
                    state, atOnce ? .revokeSecret(old.id, decision) : .retireSecret(old.id, decision))
            }
        }
        let row = try PagesAppRow(
            app: issued.secret.appId, secret: issued.secret.secretId, text: issued.secret.secret,
            publicURL: publicURL, changedAt: context.settings.now(), context.ring)
        return (events, row)
    }
}

/// The refusal of a decision about the pages.
package enum PagesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The pages are not enabled.
    case disabled

    package var description: String { "the pages are not enabled" }
}
