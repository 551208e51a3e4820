import Canonical
import Credentials
import FoundationEssentials

/// A recovery that two persons approved, between the device's proof and the new credentials.
struct PendingRecovery: Sendable, Equatable {
    /// The id of the credential to be made.
    var credentialId: UUID
    /// The hash of the event that opened it, 32 bytes.
    var opened: [UInt8]
    /// The hash of the event that confirmed it, 32 bytes.
    var confirmed: [UInt8]

    init(credentialId: UUID = UUID(), opened: [UInt8], confirmed: [UInt8]) {
        self.credentialId = credentialId
        self.opened = opened
        self.confirmed = confirmed
    }

    /// What entitles to the new record.
    var authority: SetUpAuthority { .recovered(firstApproval: opened, secondApproval: confirmed) }

    /// The clear form in the flow's row.
    var json: JSONValue {
        .object([
            "credential": .string(credentialId.lowercased), "opened": .string(Base64URL.encode(opened)),
            "confirmed": .string(Base64URL.encode(confirmed)),
        ])
    }

    /// Reads what ``json`` wrote.
    init(reading object: ObjectReader) throws {
        var object = object
        credentialId = try object.uuid("credential")
        opened = try object.bytes("opened", count: 32)
        confirmed = try object.bytes("confirmed", count: 32)
        try object.finish()
    }
}
