import Canonical
import Crypto
import ErrorCodes
import Foundation
import MPinCryptography
import TenureAPI

extension MPinClient {
    /// Starts the registration of a user in state `INVALID`: the service issues an M-Pin ID and verifies the identity.
    ///
    /// The state becomes `STARTED_REGISTRATION`, or `ACTIVATED` if the identity needs no further verification. Requires
    /// a secret with CREATION.
    ///
    /// ```swift
    /// let user = mpin.makeNewUser("zoe@acme.example", deviceName: "Zoe's phone")
    /// let mpinStatus = await mpin.startRegistration(user, activateCode: code)
    /// ```
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - activateCode: An activation code that an admin issued for the user id.
    ///   - userData: Text for whoever decides about the identity.
    /// - Returns: `OK`; `IDENTITY_NOT_AUTHORIZED` if the service refuses the app, the code or the user; `FLOW_ERROR` in
    ///   another state, or if the user id is stored for this backend.
    public func startRegistration(
        _ user: MPinUser, activateCode: String? = nil, userData: String? = nil
    ) async -> MPinStatus {
        await exclusively { () async throws(MPinFailure) in
            guard let backend else { throw Self.noBackend }
            guard user.getState() == .invalid else { throw Self.forbidden(user.getState()) }
            let name = MPinRecord.identifier(backend: backend.address, userId: user.id)
            let stored: MPinRecord?
            do { stored = try await store.record(name) } catch { throw MPinFailure.storage }
            guard stored == nil else { throw Self.otherObject }
            let body = Self.registration(user, userData: userData, ["activateCode": activateCode])
            let issued = try await exchange(
                .register, "PUT", "/rps/user", at: backend.address, body: body, isRepeatable: false, Issued.init)
            var record = MPinRecord(
                backend: backend.address, userId: user.id, deviceName: user.deviceName,
                state: issued.isActive ? .activated : .startedRegistration, mpinId: issued.mpinId)
            record.regOTT = issued.regOTT
            record.identityId = issued.identityId
            try await keep(record, user)
            users[name] = user
            held[name] = nil
        }
    }

    /// Starts the verification of the identity again, with the same M-Pin ID. For users in `STARTED_REGISTRATION`.
    ///
    /// ```swift
    /// if user.getState() == .startedRegistration { mpinStatus = await mpin.restartRegistration(user) }
    /// ```
    ///
    /// - Returns: As ``startRegistration(_:activateCode:userData:)``; `HTTP_REQUEST_ERROR` if it is too early for
    ///   another mail; `RESPONSE_PARSE_ERROR` if the service answers with another M-Pin ID.
    public func restartRegistration(_ user: MPinUser, userData: String? = nil) async -> MPinStatus {
        await with(user, in: [.startedRegistration]) { (record, backend) async throws(MPinFailure) in
            let body = Self.registration(user, userData: userData, ["regOTT": record.regOTT])
            let issued = try await exchange(
                .register, "PUT", "/rps/user/" + record.mpinId, at: backend.address, body: body, isRepeatable: false,
                Issued.init)
            guard issued.mpinId == record.mpinId, issued.identityId == nil || issued.identityId == record.identityId
            else { throw Self.otherIdentity }
            record.regOTT = issued.regOTT
            if issued.isActive { record.state = .activated }
            try await keep(record, user)
        }
    }

    /// Fetches the client key of a verified user: one share from the service, the other one from the second D-TA.
    ///
    /// The state stays as it is. The key is kept in memory until ``finishRegistration(_:pin:)``; after the end of the
    /// program call this again.
    ///
    /// ```swift
    /// mpinStatus = await mpin.confirmRegistration(user)
    /// if mpinStatus.status == .identityNotVerified { show("Open the link in the mail first.") }
    /// ```
    ///
    /// - Parameters:
    ///   - user: A user in `STARTED_REGISTRATION` or `ACTIVATED`.
    ///   - pushNotificationIdentifier: The device's identifier for push messages.
    /// - Returns: `OK`; `IDENTITY_NOT_VERIFIED` if the identity is not verified yet, or the time for it is over;
    ///   `CRYPTO_ERROR` for shares that are no points, equal, or of another identity.
    public func confirmRegistration(
        _ user: MPinUser, pushNotificationIdentifier: String? = nil
    ) async -> MPinStatus {
        await with(user, in: [.startedRegistration, .activated]) { (record, backend) async throws(MPinFailure) in
            held[record.identifier] = nil
            var path = "/rps/signature/\(record.mpinId)?regOTT=\(PercentEncoding.encode(record.regOTT ?? ""))"
            if let push = pushNotificationIdentifier { path += "&pmiToken=" + PercentEncoding.encode(push) }
            let first: FirstShare
            do throws(MPinFailure) {
                first = try await exchange(
                    .signature, "GET", path, at: backend.address, isRepeatable: true, FirstShare.init)
            } catch {
                guard record.token != nil, error.mayBeRegistered else { throw error }
                held[record.identifier] = .provedToken
                return
            }
            held[record.identifier] = try await clientKey(first, of: record, backend)
        }
    }

    /// Takes the PIN out of the client key, proves the token to the service, and stores it. The state becomes
    /// `REGISTERED`.
    ///
    /// The library keeps no copy of the PIN's text. Swift cannot overwrite the caller's string; release it soon.
    ///
    /// After `NETWORK_ERROR` call this again, with any PIN. After `CRYPTO_ERROR` call
    /// ``confirmRegistration(_:pushNotificationIdentifier:)`` again. Requires a secret with ACCESS.
    ///
    /// ```swift
    /// mpinStatus = await mpin.finishRegistration(user, pin: setupPin)
    /// ```
    ///
    /// - Parameters:
    ///   - user: A user whose registration was confirmed since the program started.
    ///   - pin: 4 to 8 decimal digits.
    /// - Returns: `OK`; `PIN_INPUT_CANCELED` for an empty PIN; `FLOW_ERROR` for one that is not 4 to 8 digits, or
    ///   without a Confirm; `CRYPTO_ERROR` if the service does not take the proof. `INCORRECT_PIN` only if the program
    ///   ended during an earlier Finish that had registered the user: enter the PIN of that one.
    public nonisolated func finishRegistration(_ user: MPinUser, pin: String) async -> MPinStatus {
        await finishRegistration(user, entered: Self.entered(pin))
    }

    private func finishRegistration(_ user: MPinUser, entered: Result<MPinPIN, MPinFailure>) async -> MPinStatus {
        await with(user, in: [.startedRegistration, .activated]) { (record, backend) async throws(MPinFailure) in
            guard let held = held[record.identifier] else {
                throw MPinFailure(.flowError, "There is no client key. Call confirmRegistration first.")
            }
            let pin = try entered.get()
            switch held {
            case .key(let key, let suite, let epoch):
                let identity = try Self.point(of: record)
                record.token = key.token(without: pin, for: identity).encoded
                (record.pinDigits, record.suite, record.epoch) = (pin.digits, suite, epoch)
                // Stored before the proof: once the service has taken it, it issues no key again.
                try await keep(record, user)
                do throws(MPinFailure) { try await prove(&record, pin, user, backend) } catch {
                    throw try await proofFailed(error, &record, user)
                }
            case .provedToken: try await prove(&record, pin, user, backend)
            }
            record.regOTT = nil
            record.state = .registered
            try await keep(record, user)
            self.held[record.identifier] = nil
        }
    }

    /// Erases a token whose proof failed. The PIN was just set, so it cannot be wrong.
    private func proofFailed(
        _ failure: MPinFailure, _ record: inout MPinRecord, _ user: MPinUser
    ) async throws(MPinFailure) -> MPinFailure {
        let codes: Set<MPinStatus.Code> = [.incorrectPIN, .cryptoError, .clientSecretExpired]
        guard codes.contains(failure.status.status) else { return failure }
        held[record.identifier] = nil
        record.eraseToken()
        try await keep(record, user)
        guard failure.status.status == .incorrectPIN else { return failure }
        let words = "The token does not prove this identity and was erased. Confirm the registration again."
        return MPinFailure(
            MPinStatus(.cryptoError, words, problem: failure.status.problem), endsIdentity: failure.endsIdentity)
    }

    /// Adds the shares of both D-TAs.
    private func clientKey(
        _ first: FirstShare, of record: MPinRecord, _ backend: MPinBackend
    ) async throws(MPinFailure) -> Held {
        guard let suite = MPinSuite(rawValue: first.suite) else {
            throw MPinFailure(.cryptoError, "The key is of another suite. Update this library.")
        }
        let digest = Hex.encode(Array(SHA256.hash(data: record.mpinIdBytes)))
        guard MPinBackend.isQuery(first.query, ofDigest: digest) else { throw Self.otherIdentity }
        let second = try await secondShare(first.query, at: backend.secondAuthority)
        guard let bytes = Hex.decodeAnyCase(first.share), let others = Hex.decodeAnyCase(second),
            bytes != others,
            let share = try? MPinClientKeyShare(encoded: bytes), let other = try? MPinClientKeyShare(encoded: others),
            let key = try? MPinClientKey(adding: [share, other])
        else {
            throw MPinFailure(.cryptoError, "The shares are not two different points. Nothing was kept.")
        }
        return .key(key, suite, epoch: first.epoch)
    }

    /// Reads a PIN. The text goes no further than this function.
    static func entered(_ pin: String) -> Result<MPinPIN, MPinFailure> {
        guard !pin.isEmpty else { return .failure(MPinFailure(.pinInputCanceled, "No PIN was entered.")) }
        guard let read = try? MPinPIN(pin) else {
            return .failure(MPinFailure(.flowError, "A PIN has 4 to 8 digits, 0 to 9."))
        }
        return .success(read)
    }

    static let otherIdentity = MPinFailure(
        .responseParseError, "The response is about another M-Pin ID. Nothing was kept.")

    static func point(of record: MPinRecord) throws(MPinFailure) -> MPinIdentityPoint {
        do { return try MPinIdentityPoint(mpinID: record.mpinIdBytes) } catch {
            throw MPinFailure(.cryptoError, "The M-Pin ID has no point. Delete the user and register again.")
        }
    }

    private static func registration(
        _ user: MPinUser, userData: String?, _ others: KeyValuePairs<String, String?>
    ) -> JSONValue {
        var members: [String: JSONValue] = ["userId": .string(user.id), "mobile": 1]
        let optional = [("deviceName", user.deviceName), ("userData", userData)] + others.map { ($0.key, $0.value) }
        for case (let name, let text?) in optional where !text.isEmpty { members[name] = .string(text) }
        return .object(members)
    }
}

extension MPinFailure {
    /// Whether a refused Confirm may mean that the user is registered already.
    fileprivate var mayBeRegistered: Bool {
        guard let problem = status.problem else { return status.status == .identityNotVerified }
        return switch problem.knownCode {
        case .mpinUnknown, .mpinWrongState, .requestInvalid: true
        default: false
        }
    }
}
