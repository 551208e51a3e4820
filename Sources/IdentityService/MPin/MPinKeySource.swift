package import Canonical
package import FoundationEssentials

/// Where the service gets key shares of M-Pin from: its two D-TAs.
package protocol MPinKeySource: Sendable {
    /// The address of the second D-TA as clients reach it, with a slash at the end.
    var clientURL: String { get }

    /// The epoch of new keys, from 1.
    var epoch: UInt32 { get }

    /// The oldest epoch whose keys still authenticate.
    var oldestEpoch: UInt32 { get }

    /// Gets the first D-TA's share of an identity's client key: 97 bytes, a point of G1.
    ///
    /// - Throws: ``MPinKeySourceError``.
    func clientKeyShare(
        mpinIDHash: [UInt8], tenant: UUID, epoch: UInt32, at time: Timestamp
    ) async throws -> [UInt8]

    /// The signed query with which the client gets the second D-TA's share itself.
    func clientKeyQuery(mpinIDHash: [UInt8], tenant: UUID, epoch: UInt32, at time: Timestamp) -> String

    /// Gets both D-TAs' shares of a tenant's server key: 192 bytes each, points of G2.
    ///
    /// - Throws: ``MPinKeySourceError``.
    func serverKeyShares(tenant: UUID, epoch: UInt32, at time: Timestamp) async throws -> [[UInt8]]
}

extension ServiceContext {
    /// What use cases of M-Pin share.
    package struct MPin: Sendable {
        /// Where key shares come from; without it M-Pin is not offered.
        let keys: (any MPinKeySource)?

        /// Each parameter sets the property of the same name.
        package init(keys: (any MPinKeySource)? = nil) { self.keys = keys }
    }
}

/// A key share that the service could not get.
///
/// The text names a D-TA and what it answered, never a request: a log may hold it.
package struct MPinKeySourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    package enum Code: String, Hashable, Sendable {
        /// A D-TA did not answer, or answered that it cannot work now. The same call may succeed later.
        case unavailable
        /// A D-TA refused the request: the signing key, the clock or the settings do not fit it.
        case refused
        /// A D-TA issues no more shares for this identity: its 24 hours are over.
        case closed
        /// A D-TA answered something that is no key share.
        case malformed
    }

    /// What kind of failure it is.
    package let code: Code

    /// What happened, in words for a log.
    package let description: String

    /// Describes a failure. The description must hold no part of a request.
    package init(code: Code, description: String) {
        self.code = code
        self.description = description
    }
}
