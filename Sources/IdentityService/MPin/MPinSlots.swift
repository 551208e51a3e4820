import Canonical
import EventCoding
import Identity
import Keys
import Ledger

/// A place for a new identity among the eight live ones that a user id may have.
struct MPinSlot: Sendable {
    /// The time after which an unverified registration gives way to any other.
    static let patience: Duration = .seconds(600)

    /// The claim of the new identity.
    let claim: ClaimKey
    /// The identity that held the place, with the events that end it.
    let former: (identity: MPinIdentitySnapshot, events: [MPinIdentityEvent])?

    /// Finds a place.
    ///
    /// Places of identities that have ended or expired are free. An identity that is verified at once also takes the
    /// place of one that is not verified, and any start that of one that waited for its verification for ten minutes: so
    /// nobody keeps an owner out by starts alone.
    ///
    /// - Throws: `request.rate_limited` if there is none. An unfinished registration gives its place back after an hour.
    static func find(
        for userID: MPinUserID, in tenant: TenantID, isVerified: Bool, at time: Timestamp, _ context: ServiceContext
    ) async throws -> MPinSlot {
        let places = KeyRing.mpinSlots.map { context.ring.mpinUserClaim(userID, slot: $0, in: tenant) }
        let taken = try await context.reader.claims(places)
        if let free = places.first(where: { taken[$0] == nil }) { return MPinSlot(claim: free, former: nil) }
        let streams = places.compactMap { taken[$0].map { StreamID.mpin(MPinIdentityID($0.owner), in: tenant) } }
        let events = try await context.reader.streams(streams)
        var unverified: MPinSlot?
        for (place, stream) in zip(places, streams) {
            let holder = try StateLoader.mpin(MPinIdentityID(stream.id), events[stream] ?? [])
            switch holder.state.status(at: time) {
            case .unknown, .blocked, .revoked: return MPinSlot(claim: place, former: (holder, []))
            case .expired:
                let end = try decided { () throws(MPinIdentity.Rejection) in
                    try MPinIdentity.decide(holder.state, .expire(at: time))
                }
                return MPinSlot(claim: place, former: (holder, end))
            case .started, .activated, .issued, .registered:
                let end = try decided { () throws(MPinIdentity.Rejection) in
                    try MPinIdentity.decide(holder.state, .supersede)
                }
                let isOld = holder.state.startedAt.map { $0.adding(Self.patience) <= time } ?? false
                if isVerified || isOld, unverified == nil, !end.isEmpty {
                    unverified = MPinSlot(claim: place, former: (holder, end))
                }
            }
        }
        guard let unverified else { throw ServiceError(.requestRateLimited, retryAfterSeconds: 3_600) }
        return unverified
    }

    /// Adds the new identity's claim, and the end of the former holder.
    func add<Answer>(for id: MPinIdentityID, in tenant: TenantID, to recorder: inout DecisionRecorder<Answer>) throws {
        if let former {
            for event in former.events {
                try recorder.add(
                    event.payload, to: .mpin(former.identity.id, in: tenant), version: former.identity.version,
                    keys: [:])
            }
            recorder.expectations[.mpin(former.identity.id, in: tenant)] = former.identity.version
            recorder.releases.append(ClaimRelease(key: claim, owner: former.identity.id.uuid))
        }
        recorder.claims.append(Claim(key: claim, owner: id.uuid))
    }
}
