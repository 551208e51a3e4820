import Canonical
import Credentials
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
package import TenureAPI

/// Completes a log-in by an address: the person picks an account, and the device signs the challenge that names it.
///
/// From here on the flow is a log-in to that account. Its challenge with the signatures of device and user key gets
/// into the tenant's ledger; nothing there tells that an address was entered.
package struct PickAccount: FlowStepUseCase {
    /// The employee whose account is picked.
    package let employee: UUID
    /// The signature of the device key over the account's challenge, DER or 64 raw bytes.
    package let proof: [UInt8]
    package let flow: String
    package let app: AppCaller
    package var purpose: FlowKind { .address }

    package init(_ employee: UUID, proof: [UInt8], flow: String, app: AppCaller) {
        self.employee = employee
        self.proof = proof
        self.flow = flow
        self.app = app
    }

    /// Logs the person in, or presents the device key.
    ///
    /// - Throws: `request.invalid` for an account that was not offered, `flow.expired` two minutes after the offer,
    ///   `employee.key_invalid`, `policy.blind_only`, and the refusals of a log-in.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context, time = run.call.time
        var row = try await FlowStore(context: context).load(
            handle: flow, purpose: purpose, app: app, at: time, run.firstRows)
        guard row.state.step == .account, let login = row.state.address, let kind = login.kind else {
            throw ServiceError(.flowWrongStep)
        }
        let isOfPasskey = (try? DeviceEvidence(bytes: proof))?.assertion != nil
        let choices = login.choices.filter { $0.employee == employee && ($0.passkey != nil) == isOfPasskey }
        guard let choice = choices.first(where: { $0.isAnswered(by: proof) }) ?? choices.first else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/account", detail: "pick one of the accounts that are shown")])
        }
        let challenge = try Challenge(kept: choice.challenge)
        do { try challenge.checkExpiry(at: time) } catch { throw ServiceError(.flowExpired) }
        let signature: DeviceEvidence
        do {
            signature = try challenge.verifyKeyProof(proof)
            let rules = isOfPasskey ? try await context.passkeyRules() : nil
            try signature.check(choice.passkey?.identity, origins: rules?.origins.map(\.text) ?? [])
        } catch {
            throw row.state.keyInvalid(proof, over: choice.challenge)
        }
        row.state.tenantId = choice.tenant
        row.state.employeeId = choice.employee
        row.state.companyName = choice.company
        row.state.companyEmployeeId = choice.companyEmployeeId
        row.state.subjectSalt = choice.salt
        row.state.employeePublicKey = challenge.fields.employeeKey.bytes
        row.state.passkey = choice.passkey
        row.state.proved = FlowState.ProvedKey(challenge: choice.challenge, signature: signature.bytes)
        let valid = try FlowProof(
            kind, signedBefore: try UserPublicKey(kept: login.userKey), try Signature(raw: choice.userSignature),
            in: row.state)
        let scene = try await FlowScene.load(.proof, for: row.state, context)
        guard scene.tenant?.state.policy.permits(.direct) == true else { throw ServiceError(.policyBlindOnly) }
        return try await CompleteLogin(context: context).run(
            row, proof: .credential(valid), scene, app: app, run)
    }
}

extension AddressLogin.Choice {
    /// Whether a device key has signed the challenge of this choice.
    fileprivate func isAnswered(by proof: [UInt8]) -> Bool {
        (try? Challenge(kept: challenge).verifyKeyProof(proof)) != nil
    }
}
