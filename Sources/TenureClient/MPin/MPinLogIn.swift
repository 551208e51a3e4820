import Canonical
import Credentials
import Foundation
import MPinCryptography
import TenureAPI

extension MPinClient {
    /// Logs an employee in on this device: the PIN takes the place of answers or passphrase.
    ///
    /// The identity must be linked to the account by this device, and the tenant's policy must let M-Pin open sessions.
    /// This device's key signs the challenge of the log-in. Its authorization, the approval of the account and the link
    /// of the app are checked as in any log-in. Requires a secret with ACCESS.
    ///
    /// ```swift
    /// let (mpinStatus, outcome) = await mpin.logIn(
    ///     user, pin: entered, companyName: "acme.example", companyEmployeeId: "1001")
    /// if case .success(let admission) = outcome { show(admission.session) }
    /// ```
    ///
    /// - Returns: As ``finishAuthentication(_:pin:)``, and the outcome if `OK`. `CRYPTO_ERROR` if the challenge is not
    ///   for this log-in.
    public nonisolated func logIn(
        _ user: MPinUser, pin: String, companyName: String, companyEmployeeId: String
    ) async -> (status: MPinStatus, outcome: FlowOutcome?) {
        await logIn(user, Self.entered(pin), companyName, companyEmployeeId)
    }

    private func logIn(
        _ user: MPinUser, _ entered: Result<MPinPIN, MPinFailure>, _ company: String, _ employee: String
    ) async -> (status: MPinStatus, outcome: FlowOutcome?) {
        var outcome: FlowOutcome?
        let status = await with(user, in: [.registered]) { (record, backend) async throws(MPinFailure) in
            let pin = try entered.get()
            let flow: MPinLogInFlow
            do { flow = try await MPinLogInFlow(company, employee, tenure) } catch {
                throw MPinFailure(describing: error, of: .logIn)
            }
            let code = try await authorizationCode(record, pin, backend)
            do { outcome = try await flow.submit(code) } catch { throw MPinFailure(describing: error, of: .logIn) }
        }
        return (status, outcome)
    }
}

/// A log-in whose device key is proved: the key has signed the challenge, which names this flow, account and app.
private struct MPinLogInFlow {
    static let endpoint = Endpoint(
        "POST", "/v1/logins/{flow}/mpin", .app, "Complete a login by the proof of a PIN")

    private let context: FlowContext

    init(_ company: String, _ employee: String, _ client: TenureClient) async throws {
        let account = client.account(companyName: company, companyEmployeeId: employee)
        let key = try await client.keyStore.keyOrNew(of: account)
        let flow = try await client.startLogin(company: company, employee: employee, key: key)
        let asked = try await client.proveKey(flow, key: key)
        context = FlowContext(client: client, account: account, key: key, flow: flow, asked: asked)
    }

    func submit(_ authOTT: String) async throws -> FlowOutcome {
        let response: FlowOutcomeResponse = try await context.client.call(
            Self.endpoint, ["flow": context.flow.handle], body: MPinRedemption(authOTT: authOTT))
        return try await context.outcome(of: response)
    }
}

private struct MPinRedemption: JSONConvertible {
    let authOTT: String

    init(authOTT: String) { self.authOTT = authOTT }

    init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        authOTT = try reader.string("authOTT")
        try reader.finish()
    }

    var json: JSONValue { ["authOTT": .string(authOTT)] }
}
