package import Canonical
package import FoundationEssentials
package import IdentityService
package import Logging
import MPinRequests
import Transfers

/// The two D-TAs, asked over HTTP.
///
/// It logs each failure, so its callers need not:
///
/// ```swift
/// let client = try MPinAuthorityClient(configuration, logger: logger)
/// let shares = try await client.serverKeyShares(tenant: tenant, epoch: client.epoch, at: .now())
/// ```
package final class MPinAuthorityClient: MPinKeySource {
    /// How long a signed request is valid. A D-TA permits 60 seconds; the rest is for clocks that differ.
    static let validity: Duration = .seconds(50)

    private let configuration: MPinAuthorityClientConfiguration
    private let transport: MPinAuthorityTransport
    private let logger: Logger
    private let now: @Sendable () -> Timestamp

    /// Makes no connection yet.
    ///
    /// - Throws: ``MPinAuthorityClientError``.
    package convenience init(
        _ configuration: MPinAuthorityClientConfiguration, logger: Logger
    ) throws(MPinAuthorityClientError) {
        try self.init(configuration, logger: logger, now: { .now() })
    }

    /// Makes a client that compares clocks of D-TAs with a clock of the caller.
    init(
        _ configuration: MPinAuthorityClientConfiguration, logger: Logger, now: @escaping @Sendable () -> Timestamp
    ) throws(MPinAuthorityClientError) {
        try configuration.validate()
        self.configuration = configuration
        transport = try MPinAuthorityTransport(
            certificateAuthorityFile: configuration.certificateAuthorityFile, timeLimit: configuration.timeLimit)
        self.logger = logger
        self.now = now
    }

    /// The address of the second D-TA as clients reach it, with a slash at the end.
    package var clientURL: String { configuration.clientAddress.text }

    /// The epoch of new keys, from 1.
    package var epoch: UInt32 { configuration.epoch }

    /// The oldest epoch whose keys still authenticate.
    package var oldestEpoch: UInt32 { configuration.oldestEpoch }

    /// Gets the first D-TA's share of an identity's client key.
    package func clientKeyShare(
        mpinIDHash: [UInt8], tenant: UUID, epoch: UInt32, at time: Timestamp
    ) async throws -> [UInt8] {
        try await share(Self.request(.clientKey(mpinIDHash: mpinIDHash), tenant, epoch, time), of: 1)
    }

    /// The signed query with which the client gets the second D-TA's share itself.
    package func clientKeyQuery(mpinIDHash: [UInt8], tenant: UUID, epoch: UInt32, at time: Timestamp) -> String {
        Self.request(.clientKey(mpinIDHash: mpinIDHash), tenant, epoch, time)
            .query(signedWith: configuration.second.signingKey)
    }

    /// Gets both D-TAs' shares of a tenant's server key, at once.
    package func serverKeyShares(tenant: UUID, epoch: UInt32, at time: Timestamp) async throws -> [[UInt8]] {
        let request = Self.request(.serverKey, tenant, epoch, time)
        async let first = share(request, of: 1)
        async let second = share(request, of: 2)
        let shares = try await [first, second]
        guard shares[0] != shares[1] else { throw told(Self.sameShares) }
        return shares
    }

    private static let sameShares = MPinKeySourceError(
        code: .malformed,
        description: "both D-TAs gave the same share: both addresses lead to one D-TA, or one was copied")

    private static func request(
        _ share: MPinKeyRequest.Share, _ tenant: UUID, _ epoch: UInt32, _ time: Timestamp
    ) -> MPinKeyRequest {
        MPinKeyRequest(share, tenantID: tenant, epoch: epoch, expires: time.adding(validity))
    }

    private func share(_ request: MPinKeyRequest, of number: Int) async throws -> [UInt8] {
        do {
            return try await silentShare(request, of: number)
        } catch let error as MPinKeySourceError {
            throw told(error)
        }
    }

    private func silentShare(_ request: MPinKeyRequest, of number: Int) async throws -> [UInt8] {
        let authority = number == 1 ? configuration.first : configuration.second
        let replies = MPinAuthorityReplies(number: number, address: authority.address)
        let reply = try await reply(
            to: "\(request.share.name)?\(request.query(signedWith: authority.signingKey))", replies)
        return try replies.share(request.share, in: reply, at: now())
    }

    private func reply(
        to target: String, _ replies: MPinAuthorityReplies
    ) async throws(MPinKeySourceError) -> MPinAuthorityTransport.Reply {
        do throws(HTTPTransfer.Failure) {
            return try await transport.get(replies.address.text + target)
        } catch {
            throw replies.failure(error)
        }
    }

    /// Logs a failure, unless it is the end of an identity's 24 hours or the end of the caller.
    private func told(_ error: MPinKeySourceError) -> MPinKeySourceError {
        guard error.code != .closed, !Task.isCancelled else { return error }
        logger.log(level: error.code == .unavailable ? .warning : .error, "no M-Pin key share: \(error)")
        return error
    }
}

/// What an examination found out about one D-TA.
package struct MPinAuthorityExamination: Sendable, Hashable {
    /// 1 or 2.
    package let number: Int
    /// The address as the service reaches it.
    package let address: MPinAuthorityAddress
    /// Why the service gets no shares from it; `nil` if it does.
    package let failure: MPinKeySourceError?
}

extension MPinAuthorityClient {
    /// Asks both D-TAs whether they work and accept their signing keys. It logs nothing, and the D-TAs record nothing.
    package func examine(at time: Timestamp) async -> [MPinAuthorityExamination] {
        let request = Self.request(.serverKey, .random(), epoch, time)
        var shares: [[UInt8]] = [], found: [MPinAuthorityExamination] = []
        for (number, authority) in [(1, configuration.first), (2, configuration.second)] {
            var failure: MPinKeySourceError?
            do {
                let replies = MPinAuthorityReplies(number: number, address: authority.address)
                try replies.health(try await reply(to: "healthz", replies))
                let share = try await silentShare(request, of: number)
                if shares.contains(share) { failure = Self.sameShares }
                shares.append(share)
            } catch {
                failure =
                    error as? MPinKeySourceError ?? .init(code: .unavailable, description: "D-TA \(number) failed")
            }
            found.append(.init(number: number, address: authority.address, failure: failure))
        }
        return found
    }
}
