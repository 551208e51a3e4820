import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The claims of M-Pin in a tenant's ledger. They are keyed digests, so the table reveals no user ids.
extension KeyRing {
    /// The number of live identities that a user id may have: one claim each.
    static let mpinSlots: ClosedRange<UInt8> = 0...7

    /// The claim on the SHA-256 of an M-Pin ID, owned by the identity. It is never released.
    func mpinClaim(hash: Bytes32, in tenant: TenantID) -> ClaimKey { mpinClaim("mpin", hash.bytes, in: tenant) }

    /// The claim on one of the slots of a user id, owned by the identity. It is released when another identity takes
    /// the slot of one that has ended, or when the identity is erased.
    func mpinUserClaim(_ id: MPinUserID, slot: UInt8, in tenant: TenantID) -> ClaimKey {
        mpinClaim("mpin-user", id.canonical + [slot], in: tenant)
    }

    /// A linked identity of an employee: the employee owns the claim, and its value is the identity's id.
    func mpinLinkedClaim(_ identity: MPinIdentityID, of employee: EmployeeID, in tenant: TenantID) -> Claim {
        Claim(
            key: mpinClaim(Self.mpinLinkedKind, identity.uuid.bytes, in: tenant), owner: employee.uuid,
            value: identity.uuid.bytes)
    }

    /// The claim on the activation code of a user id, owned by the activation.
    func mpinActivationClaim(_ id: MPinUserID, in tenant: TenantID) -> ClaimKey {
        mpinClaim("mpin-activation", id.canonical, in: tenant)
    }

    /// The kind of the claims of linked identities.
    static let mpinLinkedKind = "mpin-linked"

    private func mpinClaim(_ kind: String, _ bytes: [UInt8], in tenant: TenantID) -> ClaimKey {
        ClaimKey(
            ledger: LedgerID(tenant.uuid), kind: kind, digest: lookupDigest(kind: kind, bytes, scope: tenant.uuid))
    }
}

extension ServiceContext {
    /// Finds the M-Pin identities that are linked to an employee, ended ones among them.
    func mpinIdentities(linkedTo employee: EmployeeID, in tenant: TenantID) async throws -> [MPinIdentityID] {
        try await claims("mpin-linked", of: employee.uuid, in: LedgerID(tenant.uuid)).compactMap { claim in
            claim.value.flatMap { UUID(bytes: $0) }.map(MPinIdentityID.init)
        }
    }
}

/// A place for a new identity among the eight live ones that a user id may have.
struct MPinSlot: Sendable {
    /// The time since its first start after which an unverified registration gives way to any other.
    static let patience: Duration = .seconds(600)

    /// The claim of the new identity.
    let claim: ClaimKey
    /// The identity that held the place, with the events that end it.
    let former: (identity: MPinIdentitySnapshot, events: [MPinIdentityEvent])?

    /// Finds a place.
    ///
    /// Places of identities that have ended or expired are free, and those of linked ones whose device key has ended.
    /// An identity that is verified at once also takes the place of one that is not verified, and any start that of one
    /// that first started ten minutes ago and is not verified. Restarts win no time: so nobody keeps an owner out by
    /// starts and restarts alone.
    ///
    /// - Throws: `request.rate_limited` if there is none, with the time after which the first place is free.
    static func find(
        for userID: MPinUserID, in tenant: TenantID, isVerified: Bool, at time: Timestamp, _ context: ServiceContext
    ) async throws -> MPinSlot {
        let places = KeyRing.mpinSlots.map { context.ring.mpinUserClaim(userID, slot: $0, in: tenant) }
        let taken = try await context.reader.claims(places)
        if let free = places.first(where: { taken[$0] == nil }) { return MPinSlot(claim: free, former: nil) }
        let streams = places.compactMap { taken[$0].map { StreamID.mpin(MPinIdentityID($0.owner), in: tenant) } }
        let events = try await context.reader.streams(streams)
        var unverified: MPinSlot?, waits: [Timestamp] = []
        for (place, stream) in zip(places, streams) {
            let holder = try StateLoader.mpin(MPinIdentityID(stream.id), events[stream] ?? [])
            if let link = holder.state.link, let owner = try await context.linkedEmployee(of: holder, in: tenant),
                owner.state.hasEnded(link.fingerprint)
            {
                return MPinSlot(claim: place, former: (holder, try MPinIdentity.decided(holder.state, .endWithDevice)))
            }
            switch holder.state.status(at: time) {
            case .unknown, .blocked, .revoked: return MPinSlot(claim: place, former: (holder, []))
            case .expired:
                let end = try MPinIdentity.decided(holder.state, .expire(at: time))
                return MPinSlot(claim: place, former: (holder, end))
            case .started, .activated, .issued, .registered:
                let end = try MPinIdentity.decided(holder.state, .supersede)
                let patient = holder.state.firstStartedAt.map { $0.adding(Self.patience) } ?? time
                if isVerified || patient <= time, unverified == nil, !end.isEmpty {
                    unverified = MPinSlot(claim: place, former: (holder, end))
                }
                if let deadline = holder.state.deadline { waits.append(end.isEmpty ? deadline : patient) }
            }
        }
        guard let unverified else { throw refusal(until: waits.min(), at: time) }
        return unverified
    }

    /// The refusal of a start that finds no place.
    ///
    /// - Parameter free: When the first place is free; `nil` if all belong to registered identities.
    private static func refusal(until free: Timestamp?, at time: Timestamp) -> ServiceError {
        guard let free else {
            let detail = "the user id has eight registered identities; revoke one of them"
            return ServiceError(
                .requestRateLimited, members: [.init(pointer: "/userId", detail: detail)], isWaitInVain: true)
        }
        let wait = (free.microseconds - time.microseconds + 999_999) / 1_000_000
        return ServiceError(.requestRateLimited, retryAfterSeconds: max(1, Int(wait)))
    }

    /// Adds the new identity's claim, and the end of the former holder.
    func add<Answer>(for id: MPinIdentityID, in tenant: TenantID, to recorder: inout DecisionRecorder<Answer>) throws {
        if let former {
            try recorder.add(former.events, to: .mpin(former.identity.id, in: tenant), version: former.identity.version)
            recorder.expectations[.mpin(former.identity.id, in: tenant)] = former.identity.version
            recorder.releases.append(ClaimRelease(key: claim, owner: former.identity.id.uuid))
        }
        recorder.claims.append(Claim(key: claim, owner: id.uuid))
    }
}
