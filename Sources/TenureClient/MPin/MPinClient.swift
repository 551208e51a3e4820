import Canonical
import ErrorCodes
import Foundation
import MPinCryptography
import TenureAPI

/// Registers users of this device by M-Pin and authenticates them with a PIN, in the shape of Milagro's mobile SDK.
///
/// The device keeps a token, from which the PIN was taken out. No server stores anything that confirms the PIN. ``MPin``
/// offers the same calls as static functions.
///
/// No call throws. Each returns an ``MPinStatus``, and the user's state tells which calls are legal next; any other call
/// is `FLOW_ERROR` and changes nothing. Calls run one after another.
///
/// ```swift
/// let mpin = MPinClient(client)
/// _ = await mpin.setBackend("https://id.example/mpin/acme.example")
/// let user = mpin.makeNewUser("zoe@acme.example", deviceName: "Zoe's phone")
/// var mpinStatus = await mpin.startRegistration(user)          // the service sends a mail
/// mpinStatus = await mpin.confirmRegistration(user)            // IDENTITY_NOT_VERIFIED until she opens the link
/// mpinStatus = await mpin.finishRegistration(user, pin: entered)
/// mpinStatus = await mpin.finishAuthentication(user, pin: entered)
/// ```
public actor MPinClient {
    /// A client key between Confirm and Finish. It exists in memory only.
    enum Held: Sendable {
        case key(MPinClientKey, MPinSuite, epoch: Int64)
        /// The program ended while it proved the token, and the service has taken the proof. The token is in the store.
        case provedToken
    }

    /// The client whose transport, app credentials, device keys and sessions are used.
    let tenure: TenureClient
    let store: any MPinStore
    var backend: MPinBackend?
    var users: [String: MPinUser] = [:]
    var held: [String: Held] = [:]
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a client. Set a backend before anything else.
    ///
    /// - Parameters:
    ///   - client: Sends the requests with its transport and app credentials. ``link(_:session:)`` and
    ///     ``logIn(_:pin:companyName:companyEmployeeId:)`` use its device keys and sessions.
    ///   - store: The store of users.
    public init(_ client: TenureClient, store: any MPinStore = PlatformMPinStore.standard()) {
        tenure = client
        self.store = store
    }

    /// Checks that a backend answers and speaks a suite that this library knows. Changes nothing.
    ///
    /// - Returns: `OK`; `FLOW_ERROR` if this is no address or would send secrets in clear text; `CRYPTO_ERROR` for
    ///   another suite, for time permits, or a second D-TA in clear text beyond loopback.
    public func testBackend(_ url: String) async -> MPinStatus {
        do throws(MPinFailure) { _ = try await settings(url) } catch { return error.status }
        return .ok
    }

    /// Sets the backend of the next calls, such as `https://id.example/mpin/acme.example`.
    ///
    /// - Returns: As ``testBackend(_:)``. The backend stays as it was unless the status is `OK`.
    public func setBackend(_ url: String) async -> MPinStatus {
        await exclusively { () async throws(MPinFailure) in backend = try await settings(url) }
    }

    /// Sets the backend of a tenant at the service that the client was configured with.
    ///
    /// - Returns: As ``testBackend(_:)``.
    public func setBackend(companyName: String) async -> MPinStatus {
        await setBackend(Self.address(of: companyName, at: tenure.baseURL))
    }

    /// Makes a user in state `INVALID`. Nothing is sent or stored.
    public nonisolated func makeNewUser(_ id: String, deviceName: String? = nil) -> MPinUser {
        MPinUser(id: id, deviceName: deviceName)
    }

    /// Lists the stored users of the current backend, sorted by id.
    ///
    /// - Returns: `OK`, `FLOW_ERROR` without a backend, or `STORAGE_ERROR`, and the users.
    public func listUsers() async -> (status: MPinStatus, users: [MPinUser]) {
        guard let address = backend?.address else { return (Self.noBackend.status, []) }
        return await listUsers(of: address)
    }

    /// Lists the stored users of any backend, sorted by id. Sends nothing.
    ///
    /// - Returns: `OK` or `STORAGE_ERROR`, and the users.
    public func listUsers(of backend: String) async -> (status: MPinStatus, users: [MPinUser]) {
        var found: [MPinUser] = []
        let address = MPinBackend.address(backend, trusted: tenure.baseURL) ?? backend
        let status = await exclusively { () async throws(MPinFailure) in
            let records: [MPinRecord]
            do { records = try await store.records() } catch { throw MPinFailure.storage }
            for record in records where record.backend == address {
                let user = users[record.identifier] ?? MPinUser(id: record.userId, deviceName: record.deviceName)
                users[record.identifier] = user
                user.show(record)
                found.append(user)
            }
        }
        return (status, found.sorted { $0.id < $1.id })
    }

    /// Erases a user from this device: token, secret of the registration and name. The object becomes `INVALID`.
    ///
    /// The service is not told. An identity that shall not be usable any more must be revoked there.
    ///
    /// - Returns: `OK`, also for a user that is not stored; `FLOW_ERROR` for another object of a stored user;
    ///   `STORAGE_ERROR`.
    @discardableResult
    public func deleteUser(_ user: MPinUser) async -> MPinStatus {
        await exclusively { () async throws(MPinFailure) in
            guard let address = user.backend else { return }
            let name = MPinRecord.identifier(backend: address, userId: user.id)
            guard users[name] === user else { throw Self.otherObject }
            do { try await store.removeRecord(name) } catch { throw MPinFailure.storage }
            held[name] = nil
            users[name] = nil
            user.show(nil)
        }
    }

    /// Returns the address of a tenant's backend at a service.
    ///
    /// ```swift
    /// MPinClient.address(of: "acme.example", at: "https://id.example")   // https://id.example/mpin/acme.example
    /// ```
    public static func address(of companyName: String, at baseURL: String) -> String {
        baseURL + "/mpin/" + PercentEncoding.encode(companyName)
    }
}

extension MPinClient {
    static let noBackend = MPinFailure(.flowError, "No backend is set. Call setBackend first.")
    static let otherObject = MPinFailure(
        .flowError, "This is not the object of a stored user. Use the one that listUsers returns.")

    /// Runs a call after all earlier ones, and returns its status.
    func exclusively(_ work: () async throws(MPinFailure) -> Void) async -> MPinStatus {
        if isBusy { await withCheckedContinuation { waiting.append($0) } } else { isBusy = true }
        defer { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }
        do throws(MPinFailure) { try await work() } catch { return error.status }
        return .ok
    }

    /// Runs a call about a user of the current backend whose state permits it. Blocks the user if the service has ended
    /// the identity.
    func with(
        _ user: MPinUser, in states: Set<MPinUser.State>,
        _ work: (inout MPinRecord, MPinBackend) async throws(MPinFailure) -> Void
    ) async -> MPinStatus {
        await exclusively { () async throws(MPinFailure) in
            guard let backend else { throw Self.noBackend }
            guard let address = user.backend else { throw Self.forbidden(.invalid) }
            let name = MPinRecord.identifier(backend: address, userId: user.id)
            guard users[name] === user else { throw Self.otherObject }
            guard address == backend.address else {
                throw MPinFailure(.flowError, "The user belongs to another backend.")
            }
            // Another process with the same store may have changed it.
            let stored: MPinRecord?
            do { stored = try await store.record(name) } catch { throw MPinFailure.storage }
            user.show(stored)
            guard var record = stored, states.contains(record.state) else { throw Self.forbidden(user.getState()) }
            do throws(MPinFailure) { try await work(&record, backend) } catch {
                if error.endsIdentity {
                    record.block()
                    held[name] = nil
                    try await keep(record, user)
                }
                throw error
            }
        }
    }

    /// Stores a record, and then shows it.
    func keep(_ record: MPinRecord, _ user: MPinUser) async throws(MPinFailure) {
        do { try await store.keep(record) } catch { throw MPinFailure.storage }
        user.show(record)
    }

    static func forbidden(_ state: MPinUser.State) -> MPinFailure {
        MPinFailure(.flowError, "The user's state \(state.rawValue) does not permit this call.")
    }

    private func settings(_ url: String) async throws(MPinFailure) -> MPinBackend {
        guard let address = MPinBackend.address(url, trusted: tenure.baseURL) else {
            throw MPinFailure(
                .flowError, "The backend must be an address such as https://id.example/mpin/acme.example.")
        }
        let read = try await exchange(
            .settings, "GET", "/rps/clientSettings", at: address, isRepeatable: true
        ) { json in
            var reader = try ObjectReader(json)
            return (
                authority: try reader.string("certivoxURL"), suite: try reader.string("suite"),
                usesPermits: try reader.optionalBool("usePermits") ?? true
            )
        }
        guard MPinSuite(rawValue: read.suite) != nil, !read.usesPermits else {
            throw MPinFailure(.cryptoError, "The backend needs another suite, or time permits. Update this library.")
        }
        guard let authority = MPinBackend.authority(read.authority) else {
            throw MPinFailure(
                .cryptoError, "The second D-TA has no https address. Its share could be read on the way.")
        }
        return MPinBackend(address: address, secondAuthority: authority)
    }
}

/// The requests of M-Pin and what their responses hold.
extension MPinClient {
    /// The largest response that is read.
    static let maximumBytes = 65_536

    /// The response to a started or restarted registration.
    struct Issued {
        let mpinId: String
        let regOTT: String
        let isActive: Bool
        let identityId: UUID?

        init(_ json: JSONValue) throws {
            var reader = try ObjectReader(json)
            mpinId = try reader.string("mpinId")
            regOTT = try reader.string("regOTT")
            isActive = try reader.bool("active")
            identityId = try reader.optionalUUID("identityId")
            guard MPinRecord.bytes(ofMPinId: mpinId) != nil, (1...256).contains(regOTT.utf8.count) else {
                throw reader.invalid("mpinId", "an M-Pin ID and a regOTT are expected")
            }
        }
    }

    /// The first share of a client key, and the signed query for the second one.
    struct FirstShare {
        let share: String
        let query: String
        let suite: String
        let epoch: Int64

        init(_ json: JSONValue) throws {
            var reader = try ObjectReader(json)
            share = try reader.string("clientSecretShare")
            query = try reader.string("params")
            suite = try reader.string("suite")
            epoch = try reader.integer("epoch", in: 0...Int64(UInt32.max))
        }
    }

    /// The challenge of pass 1.
    struct Pass1 {
        let challenge: String
        let handle: String?

        init(_ json: JSONValue) throws {
            var reader = try ObjectReader(json)
            challenge = try reader.string("y")
            handle = try reader.optionalString("handle")
        }
    }

    /// The verdict about a proof.
    struct Verdict {
        let mpinId: String
        let identityId: UUID?
        let employee: EmployeeSummaryResponse?

        init(_ json: JSONValue) throws {
            var reader = try ObjectReader(json)
            guard try reader.integer("status") == 200 else { throw reader.invalid("status", "200 is expected") }
            mpinId = try reader.string("mpinId")
            identityId = try reader.optionalUUID("identityId")
            employee = try reader.optionalValue("employee").map { json throws(JSONError) in
                try EmployeeSummaryResponse(json: json, at: "/employee")
            }
        }
    }

    /// Sends a request to the backend, with the app's credentials if it belongs to the app's service, and reads the
    /// response.
    ///
    /// - Parameter isRepeatable: Whether the request may be sent again if its response was lost.
    func exchange<Value>(
        _ call: MPinCall, _ method: String, _ path: String, at backend: String, body: JSONValue? = nil,
        isRepeatable: Bool, _ read: (JSONValue) throws -> Value
    ) async throws(MPinFailure) -> Value {
        var headers: [String: String] = [:]
        // The secret goes to the service that it belongs to, whatever backend somebody had the app set.
        if backend.hasPrefix(tenure.baseURL + "/") {
            do throws(TenureClientError) { headers["Authorization"] = try tenure.credentials.authorization } catch {
                throw MPinFailure(MPinStatus(.flowError, error.advice.joined()))
            }
        }
        if body != nil { headers["Content-Type"] = "application/json" }
        if method == "POST" { headers[HeaderName.idempotencyKey] = TenureClient.newKey() }
        // The service mails in this language.
        if !tenure.languages.isEmpty { headers["Accept-Language"] = tenure.languages.joined(separator: ", ") }
        let request = WireRequest(
            method: method, url: backend + path, headers: headers, body: body?.canonicalBytes())
        return try await exchange(call, request, isRepeatable: isRepeatable, read)
    }

    /// Asks the second D-TA for its share. It gets no credentials; the query is signed.
    func secondShare(_ query: String, at authority: String) async throws(MPinFailure) -> String {
        let request = WireRequest(
            method: "GET", url: authority + "clientSecret?" + query, headers: [:], body: nil)
        return try await exchange(.secondShare, request, isRepeatable: true) { json in
            var reader = try ObjectReader(json)
            return try reader.string("clientSecret")
        }
    }

    private func exchange<Value>(
        _ call: MPinCall, _ request: WireRequest, isRepeatable: Bool, _ read: (JSONValue) throws -> Value
    ) async throws(MPinFailure) -> Value {
        var attempt = 1
        while true {
            let response: WireResponse?
            do {
                response = try await tenure.transport.send(request)
            } catch {
                if error is TenureClientError || error is CancellationError {
                    throw MPinFailure(describing: error, of: call)
                }
                response = nil
            }
            if let response, response.status == 200 {
                // A custom transport may return more than ours would.
                guard let json = try? StrictJSON.parse(response.body, limits: .init(bytes: Self.maximumBytes)),
                    let value = try? read(json)
                else { throw MPinFailure(.responseParseError, "The response is not what the service's contract says.") }
                return value
            }
            let failure =
                response.map { MPinFailure($0, of: call) }
                ?? MPinFailure(.networkError, "No response. Check the connection and repeat the call.")
            let isTransient =
                response == nil || response?.status == 503
                || failure.status.problem?.knownCode == .idempotencyInProgress
            let after = response?.headers["retry-after"].flatMap { Int($0) }
            guard isRepeatable, isTransient,
                let wait = tenure.retries.wait(
                    after: attempt, retryAfter: after.map { max(0, $0) }, draw: Double.random(in: 0...1))
            else { throw failure }
            do { try await Task.sleep(for: wait) } catch { throw MPinFailure(describing: error, of: call) }
            attempt += 1
        }
    }
}
