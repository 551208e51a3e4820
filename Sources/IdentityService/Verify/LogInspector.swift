import FoundationEssentials
import Identity
import Ledger
import Projections

/// Judges the events of one ledger, and remembers what the verification of others needs.
struct LogInspector: EventInspector {
    /// Whether signatures inside events are verified.
    let checksSignatures: Bool
    /// What the system ledger records of all ledgers, when this is the system ledger's.
    private(set) var records: [LedgerID: [ExpectedRoot]] = [:]
    /// The secrets of apps, likewise.
    private(set) var apps = AppAuthorities()
    private(set) var trail: AuthorityTrail
    /// The user keys of validations: gathered in a company's ledger, crossed out in a directory's.
    private(set) var validated: ValidatedKeys
    private var credentials = CredentialTrail()

    /// - Parameters:
    ///   - apps: What the system ledger says of apps; nil when it is not known, and then their signatures are
    ///     verified, but not whether the apps had those keys.
    ///   - validated: In a directory's ledger, the user keys whose records should lie there.
    init(
        checksSignatures: Bool, apps: AppAuthorities? = AppAuthorities(), validated: ValidatedKeys = ValidatedKeys()
    ) {
        self.checksSignatures = checksSignatures
        trail = AuthorityTrail(apps: apps)
        self.validated = validated
    }

    func concerns(_ type: String) -> Bool {
        type == CheckpointSealed.type || type == AppSecretIssued.type
            || (checksSignatures && !EventSignatures.unsigned.contains(type))
    }

    func inspect(_ event: RecordedEvent) -> String? {
        checksSignatures ? EventSignatures.violation(event) : nil
    }

    mutating func follow(_ event: RecordedEvent) -> String? {
        if event.ledger == .system {
            apps.follow(event)
            return event.type == CheckpointSealed.type ? remember(event) : nil
        }
        guard checksSignatures else { return nil }
        if event.ledger.isDirectory {
            let words = validated.match(event)
            return credentials.follow(event) ?? words
        }
        validated.follow(event)
        return trail.follow(event)
    }

    mutating func pass(_ leaf: [UInt8], at position: Int64, of ledger: LedgerID) {
        guard checksSignatures, ledger != .system, !ledger.isDirectory else { return }
        trail.pass(leaf, at: position)
    }

    private mutating func remember(_ event: RecordedEvent) -> String? {
        guard let sealed = try? EventCodec.payload(of: event) as? CheckpointSealed else {
            return "the event records no checkpoints"
        }
        for checkpoint in sealed.checkpoints {
            let root = ExpectedRoot(
                size: checkpoint.size, root: checkpoint.root.bytes, source: .record(event.position))
            records[LedgerID(checkpoint.ledger), default: []].append(root)
        }
        return nil
    }
}
