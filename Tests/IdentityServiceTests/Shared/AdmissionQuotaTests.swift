import ErrorCodes
import Foundation
import Testing
@testable import IdentityService

struct AdmissionQuotaTests {
    private let good = UUID(), hostile = UUID()

    private func lane(_ app: UUID, _ tenant: UUID = UUID(), known: Bool = false) -> AdmissionLane {
        AdmissionLane(app: app, tenant: tenant, isKnownDevice: known)
    }

    @Test func `36 unknown devices of one app leave places to other apps and to known devices`() {
        var quota = AdmissionQuota(places: 32, kept: 8)
        let admitted = (0..<36).count { _ in quota.enter(lane(hostile)) }
        #expect(admitted == 16)
        let others = (0..<36).count { _ in quota.enter(lane(good)) }
        #expect(others == 16)
        // Now all places are taken but those for known devices, whichever app they come through.
        let unknown = quota.enter(lane(UUID()))
        let known = (0..<36).count { _ in quota.enter(lane(good, known: true)) }
        #expect(!unknown && known == 8)
    }

    @Test func `one tenant's log-ins leave places to the app's other tenants`() {
        var quota = AdmissionQuota(places: 32, kept: 8)
        let tenant = UUID()
        let first = (0..<36).count { _ in quota.enter(lane(good, tenant)) }
        let others = (0..<36).count { _ in quota.enter(lane(good)) }
        #expect(first == 12 && others == 4)
    }

    @Test func `one network's log-ins on the pages leave places to other networks`() {
        var quota = AdmissionQuota(places: 32, kept: 8)
        let tenants = [UUID(), UUID()]
        func from(_ network: UInt8, _ index: Int) -> AdmissionLane {
            AdmissionLane(app: good, tenant: tenants[index % 2], isKnownDevice: false, network: [network])
        }
        let first = (0..<36).count { quota.enter(from(1, $0)) }
        let others = (0..<36).count { quota.enter(from(2, $0)) }
        #expect(first == 12 && others == 4)
        quota.leave(from(1, 0))
        let (second, again) = (quota.enter(from(2, 0)), quota.enter(from(1, 0)))
        #expect(second && !again)
    }

    @Test func `known devices of one app leave places to those of other apps`() {
        var quota = AdmissionQuota(places: 32, kept: 8)
        let first = (0..<100).count { _ in quota.enter(lane(hostile, known: true)) }
        let others = (0..<100).count { _ in quota.enter(lane(good, known: true)) }
        #expect(first == 30 && others == 10)
    }

    @Test func `a finished call frees its place, and an empty lane is forgotten`() {
        var quota = AdmissionQuota(places: 1, kept: 0)
        for _ in 0..<100 {
            let stranger = lane(hostile), other = lane(good)
            let (isIn, isSecondIn) = (quota.enter(stranger), quota.enter(other))
            #expect(isIn && !isSecondIn)
            quota.leave(stranger)
            let isInNow = quota.enter(other)
            #expect(isInNow)
            quota.leave(other)
        }
        #expect(quota.lanes == 0)
    }
}

struct UnknownAttemptsTests {
    private let start = ContinuousClock.now

    @Test func `attempts on the pages draw on the rate of their network, and memory is bounded`() throws {
        let attempts = UnknownAttempts(RateLimit(perSecond: 0.001, burst: 2, addresses: 2))
        let pages = UUID()
        for _ in 0..<2 { try attempts.draw(pages, network: [1], now: start) }
        #expect(throws: ServiceError.self) { try attempts.draw(pages, network: [1], now: start) }
        try attempts.draw(pages, network: [2], now: start)
        // The third and the fourth network share a bucket, because both others are in use.
        try attempts.draw(pages, network: [3], now: start)
        try attempts.draw(pages, network: [4], now: start)
        #expect(throws: ServiceError.self) { try attempts.draw(pages, network: [5], now: start) }
        try attempts.draw(pages, network: [2], now: start)
    }

    @Test func `attempts on unknown names draw on the app's own rate`() throws {
        let attempts = UnknownAttempts(RateLimit(perSecond: 1, burst: 3))
        let hostile = UUID(), other = UUID()
        for _ in 0..<3 { try attempts.draw(hostile, now: start) }
        let refusal = #expect(throws: ServiceError.self) { try attempts.draw(hostile, now: start) }
        #expect(refusal == ServiceError(.requestRateLimited, retryAfterSeconds: 1))
        for _ in 0..<3 { try attempts.draw(other, now: start) }
        try attempts.draw(hostile, now: start + .seconds(1))
    }

    @Test func `without a limit no attempt is refused`() throws {
        let attempts = UnknownAttempts(nil)
        let app = UUID()
        for _ in 0..<1_000 { try attempts.draw(app, now: start) }
    }
}
