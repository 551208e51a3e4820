import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import MPinCryptography
import TenureAPI

/// What a client needs to make its key: the service's share, and a permit to fetch the other one.
package struct MPinClientKeyOffer: Sendable, Equatable, RedactedDescription {
    /// The share of the first D-TA, 97 bytes.
    package var share: [UInt8]
    /// The signed query for the second D-TA.
    package var query: String
    package var suite: String
    package var epoch: Int
}

/// Issues the service's share of a verified identity's client key.
///
/// Until the registration is complete or expires, a repeated call gets the same share, so a lost reply costs nothing.
package struct ConfirmMPinRegistration: UseCase {
    package let company: String
    /// The M-Pin ID in hexadecimal.
    package let mpinID: String
    package let token: String
    /// The push identifier of the device, if it gives one.
    package let pushIdentifier: String?
    package let app: AppCaller

    package init(company: String, mpinID: String, token: String, pushIdentifier: String? = nil, app: AppCaller) {
        self.company = company
        self.mpinID = mpinID
        self.token = token
        self.pushIdentifier = pushIdentifier
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.registration) }

    /// Issues the share.
    package func run(_ run: UseCaseRun<MPinClientKeyOffer>) async throws -> MPinClientKeyOffer {
        let context = run.context, time = run.call.time
        let mpinID = try MPinID(text: self.mpinID)
        let push = try pushIdentifier.map { text in
            try parsed { () throws(ValueError) in try MPinDeviceText(text, field: "pmiToken") }
        }
        return try await optimistic {
            let company = try await context.mpin(self.company, app, role: .creation)
            let identity = try await context.mpinRegistration(mpinID, token: token, in: company.tenant)
            let linked = try await context.linkedEmployee(of: identity, in: company.tenant)
            let epoch = identity.state.key?.epoch ?? Int(company.keys.epoch)
            let events = try MPinIdentity.decided(
                identity.state,
                .issueKey(
                    MPinIdentity.IssueKey(
                        suite: .bls12381AMCL3SHA256, epoch: epoch, pushIdentifier: push, policy: company.policy,
                        linkedStatus: context.linkedStatus(linked, of: identity), time: time)))
            guard epoch >= Int(company.keys.oldestEpoch) else { throw ServiceError(.mpinKeyExpired) }
            // The share is fetched before anything is recorded: while a D-TA is away, nothing changes.
            let offer = try await offer(mpinID, epoch, company, run)
            guard !events.isEmpty else { return offer }
            var recorder = DecisionRecorder(access: company.access, run)
            recorder.notAfter = identity.state.deadline
            let keys = try await context.personKeys.load([identity.id.uuid], ledger: company.tenant.uuid)
            try recorder.add(events, to: .mpin(identity.id, in: company.tenant), version: identity.version, keys: keys)
            recorder.guardLinked(linked, in: company.tenant)
            return try await recorder.append { _ in offer }
        }
    }

    private func offer(
        _ mpinID: MPinID, _ epoch: Int, _ company: MPinCompany, _ run: UseCaseRun<MPinClientKeyOffer>
    ) async throws -> MPinClientKeyOffer {
        let hash = try mpinID.hash.bytes, time = run.call.time, tenant = company.tenant.uuid
        let share: [UInt8]
        do {
            share = try await company.keys.clientKeyShare(
                mpinIDHash: hash, tenant: tenant, epoch: UInt32(epoch), at: time)
        } catch {
            throw run.context.keySourceFailed(error)
        }
        let query = company.keys.clientKeyQuery(mpinIDHash: hash, tenant: tenant, epoch: UInt32(epoch), at: time)
        return MPinClientKeyOffer(
            share: share, query: query, suite: MPinCompany.suite.rawValue, epoch: epoch)
    }
}

extension ServiceContext {
    /// What a caller is told if a D-TA gave no share. Who asked the D-TA has logged why.
    func keySourceFailed(_ error: any Error) -> any Error {
        guard let error = error as? MPinKeySourceError else { return error }
        // The D-TA issues to an identity for a day. A registration that took longer has to begin anew.
        if error.code == .closed { return ServiceError(.mpinKeyExpired) }
        return ServiceError(.serviceUnavailable, retryAfterSeconds: 5)
    }
}

extension DecisionRecorder {
    /// Makes the append fail if the linked employee changes meanwhile, so that nobody who was cancelled goes on.
    mutating func guardLinked(_ employee: EmployeeSnapshot?, in tenant: TenantID) {
        guard let employee else { return }
        recorder.expectations[.employee(employee.id, in: tenant)] = employee.version
    }
}
