import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// A log-in by an address, in the state of its flow.
struct AddressLogin: Sendable, Equatable {
    /// An account that the person may pick.
    struct Choice: Sendable, Equatable {
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
}

extension FlowState {
    /// What attempts are counted and admitted for: the tenant, or the directory in a log-in by an address, which names
    /// no tenant.
    var countedTenantId: UUID { address == nil ? tenantId : LedgerID.directory(of: UserID(userId)).uuid }
}

/// The plaintext in the flow's row.
extension AddressLogin {
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "address": .string(address), "userKey": .string(Base64URL.encode(userKey)),
            "choices": .array(choices.map(\.json)),
        ]
        if let client { members["client"] = .string(client.lowercased) }
        if let kind { members["passphrase"] = .bool(kind == .passphrase) }
        return .object(members)
    }

    /// Decodes the value that ``json`` encodes.
    init(reading object: ObjectReader) throws {
        var object = object
        self.init(address: try object.string("address"))
        client = try object.optionalUUID("client")
        kind = try object.optionalBool("passphrase").map { $0 ? .passphrase : .answers }
        userKey = try object.bytes("userKey")
        choices = try object.objects("choices").map { try Choice(reading: $0) }
        try object.finish()
    }
}

extension AddressLogin.Choice {
    fileprivate var json: JSONValue {
        .object([
            "tenant": .string(tenant.lowercased), "employee": .string(employee.lowercased),
            "company": .string(company), "companyEmployeeId": .string(companyEmployeeId),
            "challenge": .string(Base64URL.encode(challenge)), "salt": .string(Base64URL.encode(salt)),
            "signature": .string(Base64URL.encode(userSignature)),
        ])
    }

    fileprivate init(reading object: ObjectReader) throws {
        var object = object
        self.init(
            tenant: try object.uuid("tenant"), employee: try object.uuid("employee"),
            company: try object.string("company"), companyEmployeeId: try object.string("companyEmployeeId"),
            challenge: try object.bytes("challenge"), salt: try object.bytes("salt"),
            userSignature: try object.bytes("signature"))
        try object.finish()
    }
}
