import Canonical
import ErrorCodes
import Foundation
import TenureAPI

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
        if backend.hasPrefix(tenure.baseURL + "/") { headers["Authorization"] = tenure.credentials.authorization }
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
