import Canonical
import Credentials
package import FoundationEssentials
import Identity
import Ledger

/// One link of the chain from a device key to the tenant's root.
package struct AuthorityLink: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        /// A device key of an employee, with its fingerprint.
        case key(fingerprint: String, employee: UUID)
        /// An app that is linked to the tenant.
        case app(UUID)
    }

    /// The party that authorized the link's subject.
    package enum Grantor: String, Sendable, Equatable {
        /// Nobody: it is the founder's key, or the founding app.
        case founding
        /// The app of the next link.
        case app
        /// The device key of the next link.
        case employee
        /// The operator, where the chain ends.
        case `operator`
        case policy
        /// The return of the security admin, where the chain ends.
        case comeback = "return"
        /// The log has no event that authorizes the subject.
        case missing
    }

    package let subject: Subject
    /// The position of the authorizing event in the tenant's ledger; `nil` if there is none.
    package let position: Int64?
    /// The party that authorized the subject.
    package let grantor: Grantor
    /// Whether the subject was ended later.
    package let isEnded: Bool
}

/// The origins of the authority of keys and apps in one tenant's ledger.
///
/// It only remembers events. The trail judges whether each signature is right.
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

    /// Records the key with which the security admin came back.
    mutating func comeBack(_ holder: AuthorityTrail.Holder, _ event: RecordedEvent) {
        keys[holder] = Origin(position: event.position, grantor: .comeback, signer: nil, app: nil)
    }

    mutating func end(_ holder: AuthorityTrail.Holder) { keys[holder]?.isEnded = true }

    /// Records an event that links or unlinks an app.
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

    /// Returns the chain from the key with a fingerprint to the root; empty if no such key was authorized.
    func chain(of fingerprint: String) -> [AuthorityLink] {
        let holders = keys.keys.filter { Self.fingerprint(of: $0.key) == fingerprint }
        guard var holder = holders.min(by: { (keys[$0]?.position ?? 0) < (keys[$1]?.position ?? 0) }) else { return [] }
        var links: [AuthorityLink] = []
        // Each link is older than the one before it, so the loop ends.
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
