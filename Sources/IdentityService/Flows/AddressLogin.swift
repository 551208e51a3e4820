import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// A log-in by an address, in the state of its flow.
struct AddressLogin: FlatObject, MemberValue, Equatable {
    /// An account that the person may pick.
    struct Choice: FlatObject, MemberValue, Equatable {
        var tenant: UUID
        var employee: UUID
        /// The tenant's name, as first entered.
        var company: String
        /// The employee's id in it, as first entered.
        var companyEmployeeId: String
        /// The challenge that names the account, which the device still has to sign.
        var challenge: [UInt8]
        /// The salt of the challenge's subject.
        var salt: [UInt8]
        /// The user key's signature over `tenure/v1/validation` and the challenge, 64 bytes. The key itself is kept
        /// nowhere.
        var userSignature: [UInt8]
        /// The passkey that the challenge names; `nil` for the key of the browser.
        var passkey: PasskeyFacts?

        static let members = MemberTable<Choice, Void>(
            "Choice", Choice.init,
            Member("tenant", \.tenant), Member("employee", \.employee), Member("company", \.company),
            Member("companyEmployeeId", \.companyEmployeeId), Member("challenge", \.challenge, .anyBytes),
            Member("salt", \.salt, .anyBytes), Member("signature", \.userSignature, .anyBytes),
            Member(optional: "passkey", \.passkey))
    }

    /// The address as entered; empty after the flow.
    var address: String
    /// The client whose people may log in; `nil` if the log-in is for no client.
    var client: UUID?
    /// The kind of secret that was proved; `nil` before.
    var kind: FlowProof.Kind?
    /// The user key that signed, 65 bytes; empty before.
    var userKey: [UInt8] = []
    /// The accounts to pick from; none before the proof.
    var choices: [Choice] = []

    static let members = MemberTable<AddressLogin, Void>(
        "AddressLogin", AddressLogin.init,
        Member("address", \.address), Member(optional: "client", \.client), Member(optional: "kind", \.kind),
        Member("userKey", \.userKey, .anyBytes), Member("choices", \.choices, .list()))
}

extension FlowState {
    /// What attempts are counted and admitted for: the tenant, or the directory in a log-in by an address, which names
    /// no tenant.
    var countedTenantId: UUID { address == nil ? tenantId : LedgerID.directory(of: UserID(userId)).uuid }
}
