import ErrorCodes
import FoundationEssentials
import Synchronization

/// Counts admitted callers, and reserves places for known devices, for other apps and for other tenants.
///
/// Unknown devices may take ``places``. One app gets at most half of them, and one tenant through that app at most
/// three quarters of that half. So does one network through the pages app. Known devices may take ``places`` and
/// ``kept``; one app gets at most three quarters of both.
struct AdmissionQuota: Sendable {
    /// The number of callers admitted at once, without the places reserved for known devices.
    let places: Int
    /// The number of further places reserved for known devices.
    let kept: Int
    private var admitted = 0
    /// The number of admitted callers from unknown devices.
    private(set) var unknown = 0
    /// The number of admitted callers from known devices.
    var known: Int { admitted - unknown }
    /// How many callers found no place so far.
    private(set) var refused = 0
    private var apps: [App: Int] = [:]
    private var tenants: [AdmissionLane: Int] = [:]
    private var networks: [Network: Int] = [:]

    private struct App: Hashable {
        let id: UUID
        let isKnownDevice: Bool

        init(_ lane: AdmissionLane) {
            id = lane.app
            isKnownDevice = lane.isKnownDevice
        }
    }

    /// A network of client addresses, through one app.
    private struct Network: Hashable {
        let app: UUID
        let digest: [UInt8]
    }

    init(places: Int, kept: Int) {
        self.places = max(1, places)
        self.kept = max(0, kept)
    }

    /// The largest number of unknown devices that one app may have admitted.
    var unknownOfApp: Int { max(1, places / 2) }
    /// The largest number of unknown devices that one app may have admitted for one tenant.
    var unknownOfTenant: Int { max(1, unknownOfApp * 3 / 4) }
    /// The largest number of unknown devices that one network may have admitted through the pages app.
    var unknownOfNetwork: Int { max(1, unknownOfApp * 3 / 4) }
    /// The largest number of known devices that one app may have admitted.
    var knownOfApp: Int { max(1, (places + kept) * 3 / 4) }

    /// The number of lanes with at least one admitted caller; empty lanes are not kept.
    var lanes: Int { tenants.count }

    /// Takes a place, and returns whether the lane had one.
    mutating func enter(_ lane: AdmissionLane) -> Bool {
        let isAdmitted = take(lane)
        if !isAdmitted { refused += 1 }
        return isAdmitted
    }

    private mutating func take(_ lane: AdmissionLane) -> Bool {
        let ofApp = apps[App(lane), default: 0]
        guard admitted < places + kept, ofApp < (lane.isKnownDevice ? knownOfApp : unknownOfApp) else { return false }
        if !lane.isKnownDevice {
            guard unknown < places, tenants[lane.ofTenant, default: 0] < unknownOfTenant else { return false }
            if let network = Self.network(lane) {
                guard networks[network, default: 0] < unknownOfNetwork else { return false }
                networks[network, default: 0] += 1
            }
            unknown += 1
        }
        admitted += 1
        apps[App(lane)] = ofApp + 1
        tenants[lane.ofTenant, default: 0] += 1
        return true
    }

    /// Returns a place.
    mutating func leave(_ lane: AdmissionLane) {
        admitted -= 1
        if !lane.isKnownDevice {
            unknown -= 1
            if let network = Self.network(lane) { Self.lower(network, &networks) }
        }
        Self.lower(App(lane), &apps)
        Self.lower(lane.ofTenant, &tenants)
    }

    private static func network(_ lane: AdmissionLane) -> Network? {
        lane.network.map { Network(app: lane.app, digest: $0) }
    }

    private static func lower<Key: Hashable>(_ key: Key, _ counts: inout [Key: Int]) {
        let count = counts[key, default: 0] - 1
        counts[key] = count > 0 ? count : nil
    }
}

/// The lane that a computation queues in: the calling app, the tenant asked about, and whether the device is known.
///
/// A decoy has the lane that an employee of the same name would have.
struct AdmissionLane: Hashable, Sendable {
    let app: UUID
    let tenant: UUID
    /// Whether the device key is authorized for the employee.
    let isKnownDevice: Bool
    /// What stands for the network of the caller, in the pages app.
    let network: [UInt8]?

    init(app: UUID, tenant: UUID, isKnownDevice: Bool, network: [UInt8]? = nil) {
        self.app = app
        self.tenant = tenant
        self.isKnownDevice = isKnownDevice
        self.network = network
    }

    /// The lane of all networks.
    var ofTenant: AdmissionLane { AdmissionLane(app: app, tenant: tenant, isKnownDevice: isKnownDevice) }
}

/// Limits the attempts that one app may make from unknown devices in this process, whatever names they are about. In the
/// pages app it limits those of each network of client addresses.
///
/// An attempt budget belongs to a credential, and a caller can invent any number of names. This rate limit belongs to
/// the app or the network, which cannot be invented. It is drawn before anything about the name is decided, so a refusal reveals
/// nothing about the name.
final class UnknownAttempts: Sendable {
    /// The rate limit of each app, or `nil` for no limit.
    private let limit: RateLimit?
    private let buckets = Mutex<Buckets>(Buckets())

    private struct Source: Hashable {
        let app: UUID
        let network: [UInt8]?
    }

    private struct Buckets {
        var own: [Source: TokenBucket] = [:]
        /// The bucket of the networks that have none of their own.
        var shared: TokenBucket?
    }

    init(_ limit: RateLimit?) { self.limit = limit }

    /// Draws one attempt of an app, or of a network in the pages app.
    ///
    /// - Throws: `request.rate_limited` with the seconds until the next attempt.
    func draw(_ app: UUID, network: [UInt8]? = nil, now: ContinuousClock.Instant = .now) throws(ServiceError) {
        guard let limit else { return }
        let source = Source(app: app, network: network)
        let wait = buckets.withLock { buckets in
            // The operator creates apps, so there are few. Full buckets are dropped.
            if buckets.own[source] == nil, buckets.own.count >= limit.addresses {
                buckets.own = buckets.own.filter { !$0.value.isFull(limit, now: now) }
                // Networks are many. When active ones have every bucket, others share one, so that memory is bounded.
                if network != nil, buckets.own.count >= limit.addresses {
                    var shared = buckets.shared ?? TokenBucket(limit, now: now)
                    defer { buckets.shared = shared }
                    return shared.take(limit, now: now)
                }
            }
            return buckets.own[source, default: TokenBucket(limit, now: now)].take(limit, now: now)
        }
        if let wait { throw ServiceError(.requestRateLimited, retryAfterSeconds: wait) }
    }
}
