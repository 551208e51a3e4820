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
