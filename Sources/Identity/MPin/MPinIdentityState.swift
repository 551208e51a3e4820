public import Canonical

extension MPinIdentity {
    /// The state of an identity, folded from its events.
    public struct State: Sendable, Equatable {
        /// The registration as it started; `nil` before.
        public internal(set) var registration: Registration?
        /// How far the registration has come; `nil` before it starts.
        public internal(set) var progress: Progress?
        /// When the registration last started: at first, or by a restart.
        public internal(set) var startedAt: Timestamp?
        /// When the registration that last started expires, or would have expired unverified. Its mailed link does too.
        public internal(set) var startedUntil: Timestamp?
        /// How the identity was verified last; `nil` while it is not.
        public internal(set) var verifiedBy: MPinVerificationMethod?
        /// The employee's device that the identity is linked to; `nil` for an identity without an account.
        public internal(set) var link: DeviceLink?
        /// The client key whose share was issued last.
        public internal(set) var key: IssuedKey?
        /// The number of consecutive wrong proofs.
        public internal(set) var failures = 0
        /// The number of wrong proofs in all.
        public internal(set) var lifetimeFailures = 0
        /// How the identity ended; `nil` if it has not. Expiry ends it without an event.
        public internal(set) var end: End?
        /// Whether the personal data was erased, which ends the identity too.
        public internal(set) var isErased = false

        /// Returns the status at a time.
        public func status(at time: Timestamp) -> Status {
            guard registration != nil, let progress else { return .unknown }
            switch end {
            case .blocked: return .blocked
            case .revoked: return .revoked
            case nil: break
            }
            if isErased { return .revoked }
            switch progress {
            case .started(let until): return time < until ? .started : .expired
            case .activated(let until): return time < until ? .activated : .expired
            case .issued(let until): return time < until ? .issued : .expired
            case .registered: return .registered
            }
        }

        /// The end of the step that the registration is in; `nil` for a registered identity.
        public var deadline: Timestamp? {
            switch progress {
            case .started(let until), .activated(let until), .issued(let until): until
            case .registered, nil: nil
            }
        }

        /// Whether nobody has verified the identity, linked it or ended it. It then gives way to one that is verified.
        public var isUnverified: Bool {
            guard registration != nil, end == nil, !isErased, link == nil, case .started = progress else {
                return false
            }
            return true
        }

        /// Whether the identity is linked and has not ended. It then gives way once its device key has ended for good.
        var endsWithDevice: Bool { registration != nil && end == nil && !isErased && link != nil }
    }

    /// The status of an identity at a time.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// No registration started.
        case unknown
        /// The registration waits for verification.
        case started
        /// The identity is verified and may fetch its client key.
        case activated
        /// The client key was issued and the first right proof is outstanding.
        case issued
        /// The identity authenticates.
        case registered
        /// The registration was not completed in time. It can start again.
        case expired
        /// Wrong proofs ended the identity.
        case blocked
        /// A decision, a rule or an erasure ended the identity.
        case revoked
    }

    /// How far a registration has come, with the time at which it expires.
    public enum Progress: Sendable, Equatable {
        /// It waits for verification.
        case started(until: Timestamp)
        /// It is verified.
        case activated(until: Timestamp)
        /// The client key was issued.
        case issued(until: Timestamp)
        /// It is complete and expires no more.
        case registered
    }

    /// How an identity ended.
    public enum End: Sendable, Equatable {
        /// Wrong proofs reached a limit.
        case blocked(MPinBlockReason)
        /// It was revoked.
        case revoked(MPinRevocationReason)
    }

    /// A registration as it started.
    public struct Registration: Sendable, Equatable {
        /// The identity.
        public let id: MPinIdentityID
        /// The SHA-256 of the M-Pin ID.
        public let mpinIDHash: Bytes32
        /// The user id as entered.
        public let userID: Personal
        /// The name of the device.
        public let deviceName: Personal?
        /// How the identity is to be verified.
        public let verification: MPinVerificationMode
        /// The place of the event.
        public let place: EventPlace

        init(_ event: MPinRegistrationStarted, at place: EventPlace) {
            id = event.identityID
            mpinIDHash = event.mpinIDHash
            userID = event.userID
            deviceName = event.deviceName
            verification = event.verification
            self.place = place
        }
    }

    /// The link of an identity to an employee's device.
    public struct DeviceLink: Sendable, Equatable {
        /// The employee.
        public let employee: EmployeeID
        /// The device key that signed the link.
        public let fingerprint: KeyFingerprint
        /// The place of the event.
        public let place: EventPlace
    }

    /// A client key whose share was issued.
    public struct IssuedKey: Sendable, Equatable {
        /// The suite.
        public let suite: MPinKeySuite
        /// The epoch of the master secrets. A repeated issue uses this epoch, so that it returns the same share.
        public let epoch: Int
        /// The push identifier of the device.
        public let pushIdentifier: Personal?
    }

    /// Applies an event to the state. An identity starts once, and nothing but an erasure follows its end.
    public static func evolve(_ state: inout State, _ recorded: Recorded<MPinIdentityEvent>) {
        if case .erased = recorded.event { state.isErased = true }
        guard state.end == nil, !state.isErased else { return }
        switch recorded.event {
        case .started(let event):
            guard state.registration == nil else { return }
            state.registration = Registration(event, at: recorded.place)
            state.progress = .started(until: event.expiresAt)
            state.startedAt = recorded.time
            state.startedUntil = event.expiresAt
        case .restarted(let event):
            state.progress = .started(until: event.expiresAt)
            state.startedAt = recorded.time
            state.startedUntil = event.expiresAt
            state.verifiedBy = nil
        case .linked(let event):
            guard state.link == nil else { return }
            state.link = DeviceLink(
                employee: event.employeeID, fingerprint: event.fingerprint, place: recorded.place)
        case .verified(let event):
            state.progress = .activated(until: event.issueUntil)
            state.verifiedBy = event.method
        case .keyIssued(let event):
            state.key = IssuedKey(suite: event.suite, epoch: event.epoch, pushIdentifier: event.pushIdentifier)
            if case .activated(let until) = state.progress { state.progress = .issued(until: until) }
        case .registered: state.progress = .registered
        case .authenticationFailed:
            state.failures += 1
            state.lifetimeFailures += 1
        case .failuresCleared: state.failures = 0
        case .blocked(let event): state.end = .blocked(event.reason)
        case .revoked(let event): state.end = .revoked(event.reason)
        case .erased: break
        }
    }
}
