import Canonical
import Credentials
import FoundationEssentials

/// The five kinds of flows.
public enum FlowKind: String, Sendable, Hashable {
    /// `POST /v1/registrations`.
    case registration
    /// `POST /v1/logins`.
    case login
    /// `POST /v1/credentials/changes`.
    case change
    /// `POST /v1/recoveries`.
    case recovery
    /// `POST /v1/returns`.
    case returning = "return"
}
