import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The address that somebody changes to, from the mail with its code until the change is signed.
///
/// A claim of the ledger keeps it, so that the program that sends the mail finds it by the mail's id. Its owner is the
/// session of the browser that asked, which alone gets on with the code.
struct PendingAddress: FlatObject, Equatable {
    /// The time for which a code is taken, and the change can be signed.
    static let lifetime = Duration.seconds(1_800)

    var user: UUID
    /// The address as entered.
    var address: String

    private static let label = Array("pending-address".utf8)

    static let members = MemberTable<PendingAddress, Void>(
        "PendingAddress", PendingAddress.init, Member("user", \.user), Member("address", \.address))

    private static func key(_ mail: UUID, _ ring: KeyRing) -> ClaimKey {
        let digest = ring.lookupDigest(kind: "pending-address", mail.bytes)
        return ClaimKey(ledger: .directory(digest[0]), kind: KeyRing.claimantKind, digest: digest)
    }

    func claim(_ mail: UUID, of session: UUID, until end: Timestamp, _ ring: KeyRing) throws -> Claim {
        Claim(
            key: Self.key(mail, ring), owner: session,
            value: try ring.sealFlow(self, id: session, secret: Self.label), expiresAt: end)
    }

    /// Finds what a mail is about; `nil` if it is over.
    static func find(
        _ mail: UUID, _ context: ServiceContext, at time: Timestamp
    ) async throws -> (address: PendingAddress, session: UUID, end: Timestamp)? {
        guard let claim = try await context.reader.claim(key(mail, context.ring)), let value = claim.value,
            let end = claim.expiresAt, time < end,
            let pending: PendingAddress = context.ring.openFlow(value, id: claim.owner, secret: label)
        else { return nil }
        return (pending, claim.owner, end)
    }

    /// The release of the claim, which a change takes with it, so that one code changes one address.
    static func release(_ mail: UUID, of session: UUID, _ ring: KeyRing) -> ClaimRelease {
        ClaimRelease(key: key(mail, ring), owner: session)
    }
}
