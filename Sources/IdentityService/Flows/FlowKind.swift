import Canonical
import Credentials
import ErrorCodes
import Identity
import TenureAPI

/// The kinds of flows.
package enum FlowKind: String, CaseIterable, MemberValue {
    /// `POST /v1/registrations`.
    case registration
    /// `POST /v1/logins`.
    case login
    /// A log-in by an address, on the hosted pages only. The account is picked after the proof.
    case address = "login-address"
    /// `POST /v1/credentials/changes`.
    case change
    /// `POST /v1/recoveries`.
    case recovery
    /// `POST /v1/returns`.
    case returning = "return"
}

extension FlowKind {
    /// How long a flow lives: an hour for a registration, in which people choose questions, and half an hour for others.
    package var lifetime: Duration { .seconds(self == .registration ? 3_600 : 1_800) }
}

extension FlowKind {
    /// The purpose as challenges name it. A signature for one purpose is invalid for another.
    var challenge: Challenge.Purpose {
        switch self {
        case .registration: .registration
        // What names an account: the challenge before it, of an address, is an ``AddressChallenge``.
        case .login, .address: .login
        case .change: .change
        case .recovery: .recovery
        case .returning: .return
        }
    }
}

extension FlowKind {
    /// The purpose as validation events name it. A recovery has none, because it proves no secret.
    ///
    /// - Throws: `flow.wrong_step` for a recovery.
    var event: FlowPurpose {
        get throws(ServiceError) {
            switch self {
            case .registration: return .registration
            case .login, .address: return .login
            case .change: return .change
            case .returning: return .returning
            case .recovery: throw ServiceError(.flowWrongStep)
            }
        }
    }
}

extension AppCaller {
    /// Refuses an app whose secret lacks the role for a flow.
    ///
    /// - Throws: `app.role_missing`.
    func require(_ purpose: FlowKind) throws(ServiceError) {
        guard roles.contains(purpose == .registration ? .creation : .access) else {
            throw ServiceError(.appRoleMissing)
        }
    }
}
