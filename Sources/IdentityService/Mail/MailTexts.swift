import Canonical
import Identity

/// The words of a mail in one language. The sentences hold no caller's text but the tenant's confirmed domain.
struct MailTexts {
    /// The subject, in ASCII or not.
    let subject: String
    /// What happened, in sentences.
    let sentences: [String]
    /// The caption of the link; `nil` for a mail without one.
    let caption: String?
    /// The last sentence, for people who expected no such mail.
    let closing: String
    /// The line above the closing that names who sends the mail.
    let origin: String

    /// - Parameters:
    ///   - domain: The confirmed domain of the tenant, if the mail is about one that has one.
    ///   - end: When the link expires.
    init(_ kind: MailKind, domain: String?, until end: Timestamp, in language: MailLanguage) {
        let until = Self.minute(end)
        switch language {
        case .english:
            origin = domain.map { "Sent by Tenure for \($0)." } ?? "Sent by Tenure."
            (subject, sentences, caption, closing) = Self.english(kind, until)
        case .german:
            origin = domain.map { "Gesendet von Tenure für \($0)." } ?? "Gesendet von Tenure."
            (subject, sentences, caption, closing) = Self.german(kind, until)
        }
    }

    private typealias Words = (subject: String, sentences: [String], caption: String?, closing: String)

    private static func english(_ kind: MailKind, _ until: String) -> Words {
        let ignore = "If you did not ask for this, ignore this mail. Nothing happens then."
        let tell = "If you did not expect this, log in and revoke what you do not know, or tell an admin now."
        return switch kind {
        case .verify:
            (
                "Confirm your e-mail address",
                [
                    "Open this link to confirm that you read mails to this address.",
                    "It is valid until \(until).",
                ], "Confirm the address", ignore
            )
        case .activation:
            (
                "Confirm your registration",
                [
                    "Open this link to confirm the registration of your device with a PIN.",
                    "It is valid until \(until).",
                ], "Confirm the registration", ignore
            )
        case .recoveryOpened:
            (
                "Somebody started to reset your credentials",
                [
                    "An admin opened a recovery of your credentials. It replaces your answers and your passphrase.",
                    "A log-in on a device that you used before cancels it.",
                ], nil,
                "If you did not ask for this, log in now, or tell another admin."
            )
        case .returnRequested, .returnOpened, .returnReminder, .returnCompleted: englishReturn(kind, until)
        case .deviceAdded:
            ("A device was added to your account", ["Another device may log in to your account now."], nil, tell)
        case .adminAppointed: ("You are an admin now", ["Your account was given the role of an admin."], nil, tell)
        case .addressProved:
            (
                "Your credentials were used on a new device",
                [
                    "Somebody who knows your credentials entered them with this address in another browser.",
                    "The page showed which accounts you have.",
                ], nil, "If it was not you, change your credentials: somebody else knows them."
            )
        case .deviceConfirmation:
            (
                "Confirm a new device",
                [
                    "Somebody who knows your credentials wants to log in to your account in another browser.",
                    "If it is you, open this link in that browser. It is valid until \(until).",
                    "Do not tell anybody the code that the page shows.",
                ], "Look at the device",
                "If it is not you, open the link and say so. Then change your credentials: somebody else knows them."
            )
        case .invitation:
            (
                "You are invited to register",
                [
                    "An admin invites you to register an account.",
                    "Open this link on the device that you want to log in with. Your browser becomes its first device.",
                    "It is valid until \(until), works once, and is for you alone: do not forward it.",
                ], "Register", "If you did not expect this, ignore this mail. Nothing happens then."
            )
        }
    }

    private static func german(_ kind: MailKind, _ until: String) -> Words {
        let ignore = "Wenn Sie das nicht veranlasst haben, beachten Sie diese Mail nicht. Es geschieht dann nichts."
        let tell =
            "Wenn Sie das nicht erwartet haben, melden Sie sich an und widerrufen Sie, was Sie nicht kennen, oder "
            + "benachrichtigen Sie sofort einen Administrator."
        return switch kind {
        case .verify:
            (
                "Bestätigen Sie Ihre E-Mail-Adresse",
                [
                    "Öffnen Sie diesen Link, um zu bestätigen, dass Sie Mails an diese Adresse lesen.",
                    "Er gilt bis \(until).",
                ], "Adresse bestätigen", ignore
            )
        case .activation:
            (
                "Bestätigen Sie Ihre Registrierung",
                [
                    "Öffnen Sie diesen Link, um die Registrierung Ihres Geräts mit einer PIN zu bestätigen.",
                    "Er gilt bis \(until).",
                ], "Registrierung bestätigen", ignore
            )
        case .recoveryOpened:
            (
                "Ihre Zugangsdaten werden zurückgesetzt",
                [
                    "Ein Administrator hat begonnen, Ihre Antworten und Ihre Passphrase zu ersetzen.",
                    "Eine Anmeldung auf einem Gerät, das Sie schon benutzt haben, bricht das ab.",
                ], nil,
                "Wenn Sie das nicht veranlasst haben, melden Sie sich jetzt an oder benachrichtigen Sie einen anderen "
                    + "Administrator."
            )
        case .returnRequested, .returnOpened, .returnReminder, .returnCompleted: germanReturn(kind, until)
        case .deviceAdded:
            ("Ein Gerät wurde hinzugefügt", ["Ein weiteres Gerät darf sich jetzt bei Ihrem Konto anmelden."], nil, tell)
        case .adminAppointed:
            ("Sie sind jetzt Administrator", ["Ihr Konto hat die Rolle eines Administrators bekommen."], nil, tell)
        case .addressProved:
            (
                "Ihre Zugangsdaten wurden auf einem neuen Gerät benutzt",
                [
                    "Jemand, der Ihre Zugangsdaten kennt, hat sie mit dieser Adresse in einem anderen Browser eingegeben.",
                    "Die Seite hat gezeigt, welche Konten Sie haben.",
                ], nil, "Wenn Sie das nicht waren, ändern Sie Ihre Zugangsdaten: Jemand anderes kennt sie."
            )
        case .deviceConfirmation:
            (
                "Bestätigen Sie ein neues Gerät",
                [
                    "Jemand, der Ihre Zugangsdaten kennt, möchte sich in einem anderen Browser bei Ihrem Konto "
                        + "anmelden.",
                    "Wenn Sie das sind, öffnen Sie diesen Link in jenem Browser. Er gilt bis \(until).",
                    "Nennen Sie niemandem den Code, den die Seite zeigt.",
                ], "Das Gerät ansehen",
                "Wenn Sie das nicht sind, öffnen Sie den Link und sagen Sie es dort. Ändern Sie danach Ihre "
                    + "Zugangsdaten: Jemand anderes kennt sie."
            )
        case .invitation:
            (
                "Sie sind eingeladen, sich zu registrieren",
                [
                    "Ein Administrator lädt Sie ein, ein Konto zu registrieren.",
                    "Öffnen Sie diesen Link auf dem Gerät, mit dem Sie sich anmelden möchten. Ihr Browser wird das "
                        + "erste Gerät des Kontos.",
                    "Er gilt bis \(until), nur einmal und nur für Sie: Leiten Sie ihn nicht weiter.",
                ], "Registrieren",
                "Wenn Sie das nicht erwartet haben, beachten Sie diese Mail nicht. Es geschieht dann nichts."
            )
        }
    }

    /// The texts about the return of a security admin.
    private static func englishReturn(_ kind: MailKind, _ until: String) -> Words {
        switch kind {
        case .returnRequested:
            (
                "Return as the security admin",
                [
                    "Somebody who knows your credentials asks to return as the security admin on a new device.",
                    "Open this link to begin the waiting time of at least 48 hours. It is valid until \(until).",
                    "Afterwards the new device gets the role, and your other devices lose it.",
                ], "Begin the return",
                "If you did not ask for this, do not open the link. Log in on a device of yours and change your "
                    + "credentials: somebody else knows them."
            )
        case .returnOpened, .returnReminder:
            (
                kind == .returnOpened ? "A return was opened" : "A return is still open",
                [
                    "A new device is about to get the role of the security admin, and your other devices to lose it.",
                    "If it is not yours, open this link to cancel the return.",
                    "A log-in on a device of yours cancels it too.",
                    "The link is valid until \(until).",
                ], "Cancel the return",
                "If you asked for this, do nothing: complete it on the new device when the waiting time is over."
            )
        default:
            (
                "A return was completed",
                [
                    "A new device has the role of the security admin now. Your other devices have lost it.",
                    "A device that you used before can undo this for 30 days.",
                ], nil, "If you did not do this, undo it with a device of yours, or tell the operator now."
            )
        }
    }

    /// The texts about the return of a security admin.
    private static func germanReturn(_ kind: MailKind, _ until: String) -> Words {
        switch kind {
        case .returnRequested:
            (
                "Rückkehr als Sicherheitsadministrator",
                [
                    "Jemand, der Ihre Zugangsdaten kennt, möchte auf einem neuen Gerät als Sicherheitsadministrator "
                        + "zurückkehren.",
                    "Öffnen Sie diesen Link, damit die Wartezeit von mindestens 48 Stunden beginnt. Er gilt bis "
                        + "\(until).",
                    "Danach bekommt das neue Gerät die Rolle, und Ihre anderen Geräte verlieren sie.",
                ], "Rückkehr beginnen",
                "Wenn Sie das nicht veranlasst haben, öffnen Sie den Link nicht. Melden Sie sich auf einem Ihrer "
                    + "Geräte an und ändern Sie Ihre Zugangsdaten: Jemand anderes kennt sie."
            )
        case .returnOpened, .returnReminder:
            (
                kind == .returnOpened ? "Eine Rückkehr hat begonnen" : "Eine Rückkehr ist noch offen",
                [
                    "Ein neues Gerät soll die Rolle des Sicherheitsadministrators bekommen, und Ihre anderen Geräte "
                        + "sollen sie verlieren.",
                    "Wenn es nicht Ihres ist, öffnen Sie diesen Link, um die Rückkehr abzubrechen. Eine Anmeldung auf "
                        + "einem Ihrer Geräte bricht sie auch ab.",
                    "Der Link gilt bis \(until).",
                ], "Rückkehr abbrechen",
                "Wenn Sie das veranlasst haben, tun Sie nichts: Schließen Sie die Rückkehr nach der Wartezeit auf dem "
                    + "neuen Gerät ab."
            )
        default:
            (
                "Eine Rückkehr ist abgeschlossen",
                [
                    "Ein neues Gerät hat jetzt die Rolle des Sicherheitsadministrators. Ihre anderen Geräte haben sie "
                        + "verloren.",
                    "Ein Gerät, das Sie schon benutzt haben, kann das 30 Tage lang rückgängig machen.",
                ], nil,
                "Wenn Sie das nicht waren, machen Sie es mit einem Ihrer Geräte rückgängig, oder benachrichtigen Sie "
                    + "sofort den Betreiber."
            )
        }
    }

    /// A time to the minute, such as `2026-11-23 17:28 UTC`.
    private static func minute(_ time: Timestamp) -> String {
        let text = time.description.split(separator: "T", maxSplits: 1)
        guard text.count == 2 else { return time.description }
        return "\(text[0]) \(text[1].prefix(5)) UTC"
    }
}
