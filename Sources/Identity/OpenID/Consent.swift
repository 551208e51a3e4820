package import Canonical
import Crypto
package import ErrorCodes
package import FoundationEssentials

/// The consent of one employee to one client.
package enum Consent: Decider {
    package typealias Event = ConsentEvent

    /// The state, folded from the events.
    package struct State: Sendable, Equatable {
        /// The scopes that the employee consented to; `nil` without a consent in force.
        package internal(set) var scopes: Set<OpenIDScope>?
        /// When the employee gave the consent in force; `nil` without one.
        package internal(set) var givenAt: Timestamp?
        /// The position of the last withdrawal; 0 before the first.
        package internal(set) var withdrawnAt: Int64 = 0
        /// Whether the employee withdrew, and has not consented since: also a client that asks nobody asks then.
        package var isWithdrawn: Bool { scopes == nil && withdrawnAt > 0 }
    }

    /// A command on a consent.
    package enum Command: Sendable, Equatable {
        /// Consent to scopes, besides those of before.
        case give(EmployeeID, AppID, Set<OpenIDScope>)
        /// Withdraw the consent, or what the client got without one.
        case withdraw(EmployeeID, AppID, hasGrants: Bool)
    }

    package enum Rejection: CodedRejection, CaseIterable {
        /// A consent is about one scope at least.
        case noScope

        package var code: ErrorCode { .requestInvalid }
    }

    /// The id of the consent of an employee to a client: the first 16 bytes of SHA-256 over a tag and both ids, with the
    /// bits of version 8 and of the variant (RFC 9562 §5.8). Permanent.
    package static func id(of employee: EmployeeID, to client: AppID) -> UUID {
        let message = Array("tenure/v1/consent".utf8) + employee.uuid.bytes + client.uuid.bytes
        let b = Array(SHA256.hash(data: message))
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 0x0F | 0x80, b[7], b[8] & 0x3F | 0x80, b[9], b[10], b[11],
                b[12], b[13], b[14], b[15]
            ))
    }

    /// Nobody has consented.
    package static let initial = State()

    package static func evolve(_ state: inout State, _ recorded: Recorded<ConsentEvent>) {
        switch recorded.event {
        case .given(let event):
            state.scopes = event.scopes
            state.givenAt = recorded.time
        case .withdrawn:
            state.scopes = nil
            state.givenAt = nil
            state.withdrawnAt = recorded.position
        }
    }

    /// Decides a command. Every consent is an event, a repeated one too; withdrawing nothing is not.
    package static func decide(_ state: State, _ command: Command) throws(Rejection) -> [ConsentEvent] {
        switch command {
        case .give(let employee, let client, let scopes):
            guard !scopes.isEmpty else { throw .noScope }
            let all = scopes.union(state.scopes ?? [])
            return [.given(ConsentGiven(employeeID: employee, clientID: client, scopes: all))]
        case .withdraw(let employee, let client, let hasGrants):
            guard state.scopes != nil || (hasGrants && !state.isWithdrawn) else { return [] }
            return [.withdrawn(ConsentWithdrawn(employeeID: employee, clientID: client))]
        }
    }
}

/// The events of a consent.
package enum ConsentEvent: AggregateEvent {
    case given(ConsentGiven)
    case withdrawn(ConsentWithdrawn)

    package static let cases = AggregateCases<ConsentEvent>(given, withdrawn)

    package var payload: any EventPayload {
        switch self {
        case .given(let event): event
        case .withdrawn(let event): event
        }
    }
}
