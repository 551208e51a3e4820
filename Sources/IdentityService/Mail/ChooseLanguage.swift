import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Keeps the language of the person in a browser session with the user, so that mails and notices speak it.
package struct ChooseLanguage: UseCase, Redacted {
    /// The cookie of the browser session.
    package let cookie: String
    /// The tag of the language that the person chose; `nil` if they chose none in this browser.
    package let chosen: String?
    /// The tag of the page's language, which counts for somebody whose language is not known.
    package let shown: String

    package init(cookie: String, chosen: String?, shown: String) {
        self.cookie = cookie
        self.chosen = chosen
        self.shown = shown
    }

    /// Returns the tag of the language that counts from now on; `nil` without a session in force.
    package func run(_ run: UseCaseRun<String?>) async throws -> String? {
        let context = run.context, time = run.call.time
        guard let caller = try await context.browserSession(cookie, at: time)?.caller else { return nil }
        return try await optimistic {
            let own = try await OwnAccount(of: caller, context)
            guard let id = own.employee.state.account?.user else { return nil }
            let keys = try await context.personKeys.load([id.uuid], ledger: LedgerID.directory(of: id).uuid)
            // Without the key the user is erased.
            guard keys[id.uuid] != nil else { return nil }
            let stream = StreamID.user(id)
            let recorded = try await context.reader.streams([stream])[stream]
            guard let recorded else { return nil }
            let state = User.fold(try recorded.map { try EventCodec.decode($0, keys: keys) })
            let tags = [chosen, state.language?.rawValue, shown].compactMap(\.self)
            guard let language = MailLanguage.choose(tags) else { return nil }
            let events = try User.decided(state, .chooseLanguage(language))
            guard !events.isEmpty else { return state.language?.rawValue }
            var recorder = EventRecorder(
                context, at: time, metadata: EventMetadata(actor: own.employee.id.uuid, requestId: run.call.requestId))
            try recorder.add(events, to: stream, version: recorded.version, keys: keys)
            try await recorder.append()
            return language.rawValue
        }
    }
}
