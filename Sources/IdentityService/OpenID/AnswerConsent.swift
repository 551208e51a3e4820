import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Takes the answer to the question for consent, and goes on with the request.
package struct AnswerConsent: UseCase, Redacted {
    /// The handle of the stored request.
    package let handle: String
    /// The value of the browser's cookie. The answer counts for the person of this browser session only.
    package let cookie: String?
    /// Whether the person consents.
    package let isGiven: Bool

    package init(handle: String, cookie: String?, isGiven: Bool) {
        self.handle = handle
        self.cookie = cookie
        self.isGiven = isGiven
    }

    /// Records a consent, and answers the request.
    package func run(_ run: UseCaseRun<AuthorizationAnswer>) async throws -> AuthorizationAnswer {
        let context = run.context, time = run.call.time
        guard var stored = try await StoredRequest.find(handle, context, at: time) else { return .fault(.expired) }
        guard let scene = try? await AuthorizationScene(stored, cookie: cookie, context, at: time),
            let person = scene.situation.person, scene.request.decide(scene.situation) == .askConsent
        else { return try await context.answer(stored, isStored: true, cookie: cookie, at: time) }
        // Of two tabs with two answers one wins, before anything is recorded. A consent that is not recorded after that
        // earns a code that nobody can redeem.
        stored.answers.consent = (by: person.employee, isGiven: isGiven)
        guard try await stored.update(context) else { return .fault(.expired) }
        if isGiven { try await record(scene, person, run.call) }
        guard let next = try await StoredRequest.find(handle, context, at: time) else { return .fault(.expired) }
        return try await context.answer(next, isStored: true, cookie: cookie, at: time)
    }

    private func record(
        _ scene: AuthorizationScene, _ person: AuthorizationSituation.Person, _ call: Call
    ) async throws {
        let context = scene.context, client = scene.request.client
        try await optimistic {
            let (state, version) = try await context.consent(of: person.employee, to: client, in: person.tenant)
            let events = try Consent.decided(state, .give(person.employee, client, scene.request.scopes))
            var recorder = EventRecorder(
                context, at: call.time,
                metadata: EventMetadata(actor: person.employee.uuid, app: client.uuid, requestId: call.requestId))
            try recorder.add(
                events, to: .consent(person.employee, to: client, in: person.tenant), version: version)
            try await recorder.append()
        }
    }
}

/// Goes on with the request without a confirmed address, which the client then does not learn.
package struct GoOnWithoutAddress: UseCase, Redacted {
    /// The handle of the stored request.
    package let handle: String
    /// The value of the browser's cookie: that of the account.
    package let cookie: String?

    package init(handle: String, cookie: String?) {
        self.handle = handle
        self.cookie = cookie
    }

    package func run(_ run: UseCaseRun<AuthorizationAnswer>) async throws -> AuthorizationAnswer {
        try await run.context.answer(handle, cookie: cookie, at: run.call.time) { $0.withoutAddress = $1 }
    }
}

/// Takes the account that the person chose, which is that of the browser session, and goes on with the request.
package struct ChooseAccount: UseCase, Redacted {
    /// The handle of the stored request.
    package let handle: String
    /// The value of the browser's cookie: that of the chosen account.
    package let cookie: String?

    package init(handle: String, cookie: String?) {
        self.handle = handle
        self.cookie = cookie
    }

    package func run(_ run: UseCaseRun<AuthorizationAnswer>) async throws -> AuthorizationAnswer {
        try await run.context.answer(handle, cookie: cookie, at: run.call.time) { $0.chosen = $1 }
    }
}

extension ServiceContext {
    /// Notes an answer of the person of a browser session at a stored request, and goes on with the request.
    fileprivate func answer(
        _ handle: String, cookie: String?, at time: Timestamp,
        _ note: (inout AuthorizationSituation.Answers, EmployeeID) -> Void
    ) async throws -> AuthorizationAnswer {
        guard var stored = try await StoredRequest.find(handle, self, at: time) else { return .fault(.expired) }
        if let browser = try await browserSession(cookie, at: time) {
            note(&stored.answers, EmployeeID(browser.employeeID))
            guard try await stored.update(self), let next = try await StoredRequest.find(handle, self, at: time)
            else { return .fault(.expired) }
            stored = next
        }
        return try await answer(stored, isStored: true, cookie: cookie, at: time)
    }
}
