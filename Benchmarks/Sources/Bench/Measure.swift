/// What is measured, in the order of the table.
enum Measure: CaseIterable, Hashable, Sendable {
    case insertsAlone, inserts
    case appendsManyLedgers, appendsOneLedger, appendsWithReaders, eventsRead
    case scrypt, passphrase, answers, wrongAnswers, setUpPassphrase, setUpAnswers
    case passphrasesPossible, logins8, logins32

    var title: String {
        switch self {
        case .insertsAlone: "plain inserts, 1 client"
        case .inserts: "plain inserts, 32 clients"
        case .appendsManyLedgers: "appends, 64 callers, 64 ledgers"
        case .appendsOneLedger: "appends, 64 callers, 1 ledger"
        case .appendsWithReaders: "the same, 64 ledgers, 4 feed readers"
        case .eventsRead: "events read by these 4 readers"
        case .scrypt: "one scrypt at the default cost"
        case .passphrase: "log-in, right passphrase"
        case .answers: "log-in, three right answers"
        case .wrongAnswers: "log-in, five wrong answers (ten copies)"
        case .setUpPassphrase: "set-up, passphrase alone (one copy)"
        case .setUpAnswers: "set-up, five questions (ten copies)"
        case .passphrasesPossible: "right passphrases, computing alone"
        case .logins8: "log-ins through the service, 8 callers"
        case .logins32: "log-ins through the service, 32 callers"
        }
    }

    var unit: String {
        switch self {
        case .scrypt, .passphrase, .answers, .wrongAnswers, .setUpPassphrase, .setUpAnswers: "ms CPU"
        default: "per second"
        }
    }

    /// What it is divided by, within the same repetition.
    var base: Measure? {
        switch self {
        case .insertsAlone, .appendsManyLedgers, .appendsOneLedger: .inserts
        case .appendsWithReaders, .eventsRead: .appendsManyLedgers
        case .passphrase, .answers, .wrongAnswers, .setUpPassphrase, .setUpAnswers: .scrypt
        case .logins8, .logins32: .passphrasesPossible
        case .inserts, .scrypt, .passphrasesPossible: nil
        }
    }
}
