import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The claim of a registration on an address that somebody else holds, as its flow's row has it.
struct AddressClaim: FlatObject, MemberValue, Equatable {
    /// The id of the mail with the code. There is no such mail if the address has had too many, or gets none.
    var mail: UUID
    /// The user who held the address when the claim was made.
    var holder: UUID
    /// How many codes were typed.
    var tries = 0
    /// Whether the browser of the flow proved the mailbox.
    var isProved = false

    static let members = MemberTable<AddressClaim, Void>(
        "AddressClaim", AddressClaim.init,
        Member("mail", \.mail), Member("holder", \.holder), Member("tries", \.tries, .number()),
        Member("isProved", \.isProved))
}

/// Who claims an address, as the mail to it says.
///
/// A claim of the ledger keeps it, so that one flow claims an address at a time, and the program that sends the mail
/// finds it. It ends with the flow.
struct AddressClaimant: FlatObject, Equatable {
    var mail: UUID
    /// The tenant's name and the employee id, as somebody entered them.
    var company: String
    var person: String

    private static let label = Array("address-claimant".utf8)
    /// The longest text that is kept, in characters.
    private static let limit = 256

    static let members = MemberTable<AddressClaimant, Void>(
        "AddressClaimant", AddressClaimant.init,
        Member("mail", \.mail), Member("company", \.company), Member("person", \.person))

    /// The claim by which a flow claims an address until it expires.
    static func claim(on address: EmailAddress, _ mail: UUID, _ state: FlowState, _ ring: KeyRing) throws -> Claim {
        let claimant = AddressClaimant(
            mail: mail, company: String(state.companyName.prefix(limit)),
            person: String(state.companyEmployeeId.prefix(limit)))
        return Claim(
            key: ring.addressClaimant(address), owner: state.id,
            value: try ring.sealFlow(claimant, id: state.id, secret: label), expiresAt: state.expiresAt)
    }

    /// The statement that ends the claim of a flow, if it did not end by itself.
    static func deletion(on address: EmailAddress, of flow: UUID, _ ring: KeyRing) -> SQL {
        let key = ring.addressClaimant(address)
        return """
            DELETE FROM tenure.claim
            WHERE ledger_id = \(key.ledger.uuid) AND kind = \(key.kind) AND key = \(key.digest) AND owner = \(flow)
            """
    }

    /// Opens what a claim says; `nil` if it is over.
    static func of(_ claim: Claim?, _ ring: KeyRing, at time: Timestamp) -> AddressClaimant? {
        guard let claim, let value = claim.value, let end = claim.expiresAt, time < end else { return nil }
        return ring.openFlow(value, id: claim.owner, secret: label)
    }
}

extension KeyRing {
    /// The claim on the right to ask for an address, owned by a flow.
    func addressClaimant(_ email: EmailAddress) -> ClaimKey {
        let digest = lookupDigest(kind: Self.claimantKind, email.key)
        return ClaimKey(ledger: .directory(digest[0]), kind: Self.claimantKind, digest: digest)
    }

    /// The kind of claims that flows have on addresses for a while. The log does not have them.
    static let claimantKind = "claimant"
}

extension TypedCode {
    /// The code of the mail about a claim on an address.
    init(ofClaim mail: UUID, _ flow: UUID, _ ring: KeyRing) {
        self.init(of: ring.mailLinkCode(kind: "address-code/\(mail.lowercased)", recipient: flow, expires: 0))
    }
}
