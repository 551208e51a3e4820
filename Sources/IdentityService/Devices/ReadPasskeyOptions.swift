import Canonical
import Credentials
import Crypto
import ErrorCodes
import FoundationEssentials
package import TenureAPI

/// Gives what an authenticator makes a passkey of the caller with. The challenge is for this account only.
package struct ReadPasskeyOptions: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    /// - Throws: `route.unknown` if the service takes no passkeys.
    package func run(_ run: UseCaseRun<PasskeyOptionsResponse>) async throws -> PasskeyOptionsResponse {
        let passkeys = UseCaseRun<OwnPasskeys?>(context: run.context, call: run.call)
        guard let own = try await ReadPasskeys(caller: caller).run(passkeys) else { throw ServiceError(.routeUnknown) }
        let app = try await run.context.app(of: caller)
        var options = try run.context.passkeyOptions(
            of: own.rpID, visitor: caller.passkeyVisitor, app: app, at: run.call.time, addedBy: caller)
        (options.userHandle, options.credentialIds) = (own.handle, own.held.map(\.credential))
        return options
    }
}

extension AddPasskey {
    /// A passkey that an app sends. Its creation is about the same challenge as its answer.
    package init(_ request: PasskeyRequest, caller: EmployeeCaller) {
        self.init(
            Made(
                random: Array(SHA256.hash(data: request.challenge)),
                authenticatorData: request.creation.authenticatorData,
                clientDataJSON: request.creation.clientDataJSON, spki: nil),
            challenge: request.challenge, proof: request.answer.evidence, visitor: caller.passkeyVisitor,
            caller: caller, app: nil)
    }
}

extension EmployeeCaller {
    /// What stands for the browser in a challenge for this account.
    fileprivate var passkeyVisitor: String { "account \(employeeId.lowercased)" }
}

extension ServiceContext {
    /// The app that opened the caller's session.
    ///
    /// - Throws: `session.invalid` if the session has ended.
    func app(of caller: EmployeeCaller) async throws -> UUID {
        guard let app = try await session(caller.sessionId, of: caller.tenantId)?.row.app else {
            throw ServiceError(.sessionInvalid)
        }
        return app
    }
}
