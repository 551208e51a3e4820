package import FoundationEssentials
package import Identity
package import Keys
package import Ledger

extension StateLoader {
    /// An M-Pin identity folded from all events of its stream.
    ///
    /// - Parameter keys: The identity's own key, if the decision needs the user id. A link does.
    /// - Throws: What ``EventCodec/decode(_:as:keys:)`` throws.
    package static func mpin(
        _ id: MPinIdentityID, _ events: StreamEvents, keys: [UUID: PersonKey] = [:]
    ) throws -> MPinIdentitySnapshot {
        let state = MPinIdentity.fold(
            try events.map { try EventCodec.decode($0, keys: keys) })
        return MPinIdentitySnapshot(id: id, state: state, version: events.version)
    }

    /// An activation folded from all events of its stream.
    package static func activation(
        _ id: MPinActivationID, _ events: StreamEvents, keys: [UUID: PersonKey] = [:]
    ) throws -> MPinActivationSnapshot {
        let state = MPinActivation.fold(try events.map { try EventCodec.decode($0, keys: keys) })
        return MPinActivationSnapshot(id: id, state: state, version: events.version)
    }
}

/// An M-Pin identity at one version of its stream.
package struct MPinIdentitySnapshot: Sendable {
    package var id: MPinIdentityID
    package var state: MPinIdentity.State
    package var version: Int
}

/// An activation at one version of its stream.
package struct MPinActivationSnapshot: Sendable {
    package var id: MPinActivationID
    package var state: MPinActivation.State
    package var version: Int
}

extension StreamID {
    /// The kind of the streams of M-Pin identities.
    package static let mpinKind = "mpin"
    /// The kind of the streams of activation codes.
    package static let activationKind = "activation"

    package static func mpin(_ id: MPinIdentityID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: mpinKind, id: id.uuid)
    }

    package static func activation(_ id: MPinActivationID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: activationKind, id: id.uuid)
    }
}
