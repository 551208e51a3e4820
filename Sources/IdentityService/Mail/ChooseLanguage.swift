import Canonical
import EventCoding
package import FoundationEssentials
import Identity
import Keys
import Ledger

/// Keeps the language of a person with the user, so that mails and notices speak it.
package struct ChooseLanguage: UseCase, Redacted {
    /// Whose language it is.
    package enum Person: Sendable {
        /// The person in the browser session of a cookie.
        case inBrowser(cookie: String)
        /// The owner of an account, who has just logged in.
        case loggedIn(employee: UUID, tenant: UUID)
    }

    package let person: Person
    /// The tag of the language that the person chose; `nil` if they chose none in this browser.
    package let chosen: String?
    /// The tag of the page's language, which counts for somebody whose language is not known.
    package let shown: String

    package init(_ person: Person, chosen: String?, shown: String) {
        self.person = person
        self.chosen = chosen
        self.shown = shown
    }

    /// Returns the tag of the language that counts from now on; `nil` without a session in force.
    package func run(_ run: UseCaseRun<String?>) async throws -> String? {
        let context = run.context, time = run.call.time
        let account: (employee: UUID, tenant: UUID)
        switch person {
        case .loggedIn(let employee, let tenant): account = (employee, tenant)
        case .inBrowser(let cookie):
            guard let session = try await context.browserSession(cookie, at: time) else { return nil }
            account = (session.employeeID, session.tenantID)
        }
        return try await optimistic {
            let employee = try await StateLoader(reader: context.reader).employee(
                EmployeeID(account.employee), in: TenantID(account.tenant))
            guard let id = employee.state.account?.user else { return nil }
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
                context, at: time, metadata: EventMetadata(actor: account.employee, requestId: run.call.requestId))
            try recorder.add(events, to: stream, version: recorded.version, keys: keys)
            try await recorder.append()
            return language.rawValue
        }
    }
}
