import Canonical
import Foundation
import IdentityService
import MPinCryptography
import MPinRequests
import Synchronization
import Testing

@testable import MPinAuthority

/// A clock that nearly stands still, and that a test sets forward.
///
/// The lifetimes of M-Pin are short. A test that runs on a busy machine must not exceed one by accident. The clock starts
/// when it is first read: a test may wait for minutes until it has a world, whose first events have the real time.
final class MPinClock: Sendable {
    private struct State {
        var start: (time: Timestamp, instant: ContinuousClock.Instant)?
        var ahead = Duration.zero
    }

    private let state = Mutex(State())

    /// The time of the service, and of the D-TAs.
    var now: Timestamp {
        state.withLock { state in
            let start = state.start ?? (.now(), .now)
            state.start = start
            return start.time.adding((ContinuousClock.now - start.instant) / 100 + state.ahead)
        }
    }

    /// Lets time pass.
    func pass(_ duration: Duration) { state.withLock { $0.ahead += duration } }
}

/// Two D-TAs in this process, as the service and as a client reach them.
final class TestKeySource: MPinKeySource {
    let clientURL = "https://dta-2.mpin.invalid/"

    private struct Settings {
        var epoch: UInt32 = 1
        var oldestEpoch: UInt32 = 1
        var isDown = false
        var calls = 0
    }

    private let authorities: [(issuer: MPinKeyIssuer, key: MPinSigningKey)]
    private let settings = Mutex(Settings())

    /// Creates both D-TAs in directories of their own.
    init(_ files: TemporaryFiles, _ clock: MPinClock) throws {
        authorities = try [1, 2].map { number in
            let directory = MPinAuthorityDirectory(path: files.path("dta-\(number)"))
            let keyFile = try directory.create()
            return (try directory.open(now: { clock.now }), try MPinSigningKey(file: keyFile))
        }
    }

    var epoch: UInt32 { settings.withLock { $0.epoch } }
    var oldestEpoch: UInt32 { settings.withLock { $0.oldestEpoch } }
    /// The number of shares that the service has asked for.
    var calls: Int { settings.withLock { $0.calls } }

    /// Gives the tenants new keys, and ends those of the epochs before `oldest`.
    func begin(epoch: UInt32, oldest: UInt32) {
        settings.withLock { ($0.epoch, $0.oldestEpoch) = (epoch, oldest) }
    }

    /// Cuts the service off from both D-TAs, or connects it again.
    func setDown(_ isDown: Bool) { settings.withLock { $0.isDown = isDown } }

    func clientKeyShare(
        mpinIDHash: [UInt8], tenant: UUID, epoch: UInt32, at time: Timestamp
    ) async throws -> [UInt8] {
        try begin()
        return try share(0, .clientKey(mpinIDHash: mpinIDHash), tenant, epoch, time)
    }

    func clientKeyQuery(mpinIDHash: [UInt8], tenant: UUID, epoch: UInt32, at time: Timestamp) -> String {
        query(1, .clientKey(mpinIDHash: mpinIDHash), tenant, epoch, time)
    }

    func serverKeyShares(tenant: UUID, epoch: UInt32, at time: Timestamp) async throws -> [[UInt8]] {
        try begin()
        return try [0, 1].map { try share($0, .serverKey, tenant, epoch, time) }
    }

    /// The answer of the second D-TA to the query that a client was given.
    func secondAnswer(to query: String) -> MPinAuthorityAnswer {
        authorities[1].issuer.answer(method: "GET", target: "/clientSecret?\(query)")
    }

    /// The whole client key, as somebody gets it who can sign for both D-TAs.
    func stolenClientKey(mpinIDHash: [UInt8], tenant: UUID, at time: Timestamp) throws -> MPinClientKey {
        try MPinClientKey(
            adding: [0, 1].map { number in
                try MPinClientKeyShare(
                    encoded: try share(number, .clientKey(mpinIDHash: mpinIDHash), tenant, epoch, time))
            })
    }

    private func begin() throws {
        let isDown = settings.withLock { settings in
            settings.calls += 1
            return settings.isDown
        }
        if isDown { throw MPinKeySourceError(code: .unavailable, description: "the D-TA was cut off by the test") }
    }

    private func query(
        _ number: Int, _ share: MPinKeyRequest.Share, _ tenant: UUID, _ epoch: UInt32, _ time: Timestamp
    ) -> String {
        MPinKeyRequest(share, tenantID: tenant, epoch: epoch, expires: time.adding(.seconds(50)))
            .query(signedWith: authorities[number].key)
    }

    private func share(
        _ number: Int, _ share: MPinKeyRequest.Share, _ tenant: UUID, _ epoch: UInt32, _ time: Timestamp
    ) throws -> [UInt8] {
        let name = share == .serverKey ? "serverSecret" : "clientSecret"
        let target = "/\(name)?\(query(number, share, tenant, epoch, time))"
        let answer = authorities[number].issuer.answer(method: "GET", target: target)
        guard answer.status == 200, let text = try StrictJSON.parse(answer.body)[name]?.text,
            let bytes = Hex.decode(text)
        else { throw MPinKeySourceError(code: .refused, description: "the D-TA answered \(answer.status)") }
        return bytes
    }
}
