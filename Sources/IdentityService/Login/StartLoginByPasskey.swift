import Credentials
import ErrorCodes
import Identity
package import TenureAPI

/// Starts a log-in with a passkey as the device key, which asks for the person's secret next.
///
/// The passkey has named the account by a right proof, so nothing is told to a stranger. In the flow it signs once more:
/// the challenge there names the account and the credential.
package struct StartLoginByPasskey: AppUseCase {
    package let proof: LogInByPasskey.Proof
    /// The secret of the browser.
    package let visitor: String
    package let app: AppCaller

    package init(_ proof: LogInByPasskey.Proof, visitor: String, app: AppCaller) {
        self.proof = proof
        self.visitor = visitor
        self.app = app
    }

    /// Refuses every app but that of the pages.
    package func authorize() throws(ServiceError) {
        try app.require(.login)
        guard app.isPagesApp else { throw ServiceError(.appRoleMissing) }
    }

    /// - Throws: `employee.key_invalid`, `flow.expired` and `flow.already_used` as ``LogInByPasskey``;
    ///   `employee.inactive`.
    package func run(_ run: UseCaseRun<FlowStartedResponse>) async throws -> FlowStartedResponse {
        let context = run.context, time = run.call.time
        guard let rules = try await context.passkeyRules() else { throw ServiceError(.employeeKeyInvalid) }
        let challenge = try context.passkeyChallenge(
            proof.challenge, of: rules.rpID, visitor: visitor, app: app.appId, at: time)
        guard challenge.fields.purpose == .loginPasskey else { throw ServiceError(.employeeKeyInvalid) }
        let scene = try await PasskeyScene(proof, context)
        _ = try scene.verified(proof, rules)
        guard try await context.takePasskeyChallenge(challenge, at: time) else { throw ServiceError(.flowAlreadyUsed) }
        let summary = try await context.summary(of: scene.employee, in: scene.tenant), key = try scene.key
        guard let employee = summary.companyEmployeeId else { throw ServiceError(.employeeInactive) }
        let names = LoginRequest(
            companyName: summary.companyName, companyEmployeeId: employee, employeePublicKey: key.key.bytes)
        return try await StartLogin(.login, names, app: app, passkey: DevicePasskey(key)).run(run)
    }
}
