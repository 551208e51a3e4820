import Canonical
import EventCoding
import Identity
import Keys
import Ledger
import Postgres

/// Sends another mail that asks the owner of an account to confirm the device of a waiting browser.
package struct SendDeviceMail: UseCase, Redacted {
    package let cookie: String
    package let app: AppCaller
    /// The language tags of the reader, best first.
    package let languages: [String]

    package init(cookie: String, app: AppCaller, languages: [String] = []) {
        self.cookie = cookie
        self.app = app
        self.languages = languages
    }

    /// Queues the mail, and returns whether one is on its way. The address gets five in an hour, see ``MailBudget``.
    ///
    /// A mail that no mail server was told of goes on, and no other one is queued beside it.
    package func run(_ run: UseCaseRun<Bool>) async throws -> Bool {
        let context = run.context, time = run.call.time
        guard let (_, scene) = try await context.wait(cookie, at: time), scene.row.app == app.appId else {
            return false
        }
        if let last = scene.row.mail, time < last.until,
            try await MailRow.progress(of: last.id, in: scene.row.tenant, context, at: time) != nil
        {
            return true
        }
        guard
            let mail = try await DeviceMailRule(scene: scene, context: context).mail(
                at: time, from: run.call.sourceAddress, languages)
        else { return false }
        var row = scene.row
        row.mail = mail.row
        var recorder = EventRecorder(
            context, at: time, metadata: EventMetadata(app: app.appId, requestId: run.call.requestId))
        try recorder.queue(mail.mail)
        // A code that is counted meanwhile keeps the row: the mail then finds no wait, and is given up.
        recorder.statements.append(row.update(from: scene.row.tries, context.ring))
        try await recorder.append()
        return true
    }
}
