import Canonical
import Credentials
public import FoundationEssentials
import Identity
import Ledger

/// One link of the chain from a key to the tenant's root.
public struct AuthorityLink: Sendable, Equatable {
    /// What the link is about.
    public enum Subject: Sendable, Equatable {
        /// A device key of an employee, with its fingerprint.
        case key(fingerprint: String, employee: UUID)
        /// An app that is linked to the company.
        case app(UUID)
    }

    /// Who let it in.
    public enum Grantor: String, Sendable, Equatable {
        /// Nobody: it is the root, or came with it.
        case founding
        /// The app of the next link.
        case app
        /// The key of the next link.
        case employee
        /// The operator, on the command line: the chain ends there.
        case `operator`
        /// The tenant's policy.
        case policy
        /// The log has no event that lets it in.
        case missing
    }

    /// What the link is about.
    public let subject: Subject
    /// The position in the company's ledger of the event that let it in; `nil` when there is none.
    public let position: Int64?
    /// Who let it in.
    public let grantor: Grantor
    /// Whether it was ended later.
    public let isEnded: Bool
}

/// How keys and apps came to have authority in one company, as its ledger has it.
///
/// Whether each link's signature is right is the trail's to say; this only remembers.
struct AuthorityChains: Sendable {
    private struct Origin {
        let position: Int64
        let grantor: AuthorityLink.Grantor
        let signer: AuthorityTrail.Holder?
        let app: UUID?
        var isEnded = false
    }

    private var keys: [AuthorityTrail.Holder: Origin] = [:]
    private var apps: [UUID: Origin] = [:]

    mutating func authorize(_ holder: AuthorityTrail.Holder, _ event: RecordedEvent) {
        keys[holder] = Self.origin(event)
    }

    mutating func end(_ holder: AuthorityTrail.Holder) { keys[holder]?.isEnded = true }

    /// Takes an event that links an app or unlinks it.
    mutating func link(_ event: RecordedEvent) {
        guard let app = event.data["appId"]?.uuid else { return }
        if event.type == AppLinked.type { apps[app] = Self.origin(event) } else { apps[app]?.isEnded = true }
    }

    private static func origin(_ event: RecordedEvent) -> Origin? {
        guard let by = AuthorityMember(event) else { return nil }
        let signer = by.signed.flatMap { PublicKeyBytes($0.key) }.flatMap { key in
            by.employee.map { AuthorityTrail.Holder(employee: $0, key: key) }
        }
        return Origin(
            position: event.position, grantor: AuthorityLink.Grantor(rawValue: by.kind) ?? .missing, signer: signer,
            app: by.app)
    }

    /// The chain from the key with a fingerprint to the root; empty when no such key was authorized.
    func chain(of fingerprint: String) -> [AuthorityLink] {
        let holders = keys.keys.filter { Self.fingerprint(of: $0.key) == fingerprint }
        guard var holder = holders.min(by: { (keys[$0]?.position ?? 0) < (keys[$1]?.position ?? 0) }) else { return [] }
        var links: [AuthorityLink] = []
        // Each link is older than the one before it, so the way ends.
        var limit = Int64.max
        while true {
            let origin = keys[holder].flatMap { $0.position < limit ? $0 : nil }
            links.append(
                AuthorityLink(
                    subject: .key(fingerprint: Self.fingerprint(of: holder.key), employee: holder.employee),
                    position: origin?.position, grantor: origin?.grantor ?? .missing, isEnded: origin?.isEnded ?? false)
            )
            guard var next = origin else { return links }
            if next.grantor == .app, let app = next.app {
                let link = apps[app].flatMap { $0.position < next.position ? $0 : nil }
                links.append(
                    AuthorityLink(
                        subject: .app(app), position: link?.position, grantor: link?.grantor ?? .missing,
                        isEnded: link?.isEnded ?? false))
                guard let link else { return links }
                next = link
            }
            guard next.grantor == .employee, let signer = next.signer else { return links }
            holder = signer
            limit = next.position
        }
    }

    private static func fingerprint(of key: PublicKeyBytes) -> String {
        (try? EmployeePublicKey(bytes: key.bytes).fingerprint) ?? ""
    }
}
