package import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
package import TenureAPI

/// Validates answers or a passphrase in a log-in by an address, in direct mode: admission, charge, evaluation, proof.
///
/// Then the accounts are found that the pages, and the client that asks, may see. For each of them a ``Challenge``
/// names tenant and account. The user key signs all of them while it is open, because it is kept nowhere; the device
/// signs the one that the person picks, and only that one gets into a ledger.
package struct ProveAddress: FlowStepUseCase {
    /// The answers or the passphrase.
    package let secret: CredentialsChangeRequest.Current
    package let flow: String
    package let app: AppCaller
    package var purpose: FlowKind { .address }

    /// How many accounts are offered at most.
    static let mostChoices = 16

    package init(_ secret: CredentialsChangeRequest.Current, flow: String, app: AppCaller) {
        self.secret = secret
        self.flow = flow
        self.app = app
    }

    /// Validates the secret, and offers the accounts.
    ///
    /// - Throws: The refusals of ``ValidateCredential``, and `app.not_linked` if there is no account to offer.
    package func run(_ run: UseCaseRun<AddressProof>) async throws -> AddressProof {
        let context = run.context, call = run.call, store = FlowStore(context: context)
        let row = try await store.load(handle: flow, purpose: purpose, app: app, at: call.time, run.firstRows)
        try secret.requireExpected(in: row.state)
        let target = try await ChallengedCredential.load(.seed, for: row.state, context)
        guard !target.isBlindOnly else { throw ServiceError(.policyBlindOnly) }
        let opening = try secret.opening(target, in: .proof)
        let budget = try context.budget(for: row.state, of: target)
        return try await context.admitted(to: context.compute, attempt: row.state, budget) { admission in
            var charged = try await ChargeAttempt(context: context).run(
                row, budget: budget, attempt: nil, app: app, call: call)
            let key = try await admission.run { try opening() }
            guard let key, case .address(let account, var login) = charged.state.purpose, !account.isDecoy else {
                throw ServiceError(secret.kind.refusal, challenge: charged.state.challenge)
            }
            let choices = AccountChoices(context: context, state: charged.state, client: login.client)
            login.kind = secret.kind
            login.userKey = key.publicKey.bytes
            var recorder = AddressProofRecorder(app: app, run: run)
            login.choices = try await choices.make(key, at: call.time, noting: &recorder)
            guard !login.choices.isEmpty else {
                charged.state = charged.state.finished
                let refusal = ServiceError(.appNotLinked)
                try await recorder.append(charged, .failure(refusal))
                throw refusal
            }
            charged.state.purpose = .address(account, login)
            charged.state.step = .account
            let answer = AddressProof(accounts: Int64(login.choices.count))
            try await recorder.append(charged, .success(answer))
            return answer
        }
    }
}

/// What a right secret of an address leads to.
package struct AddressProof: Sendable, Equatable, JSONConvertible {
    /// How many accounts there are to pick from, one or more.
    package let accounts: Int64

    package init(accounts: Int64) { self.accounts = accounts }

    package init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        accounts = try reader.integer("accounts")
        try reader.finish()
    }

    package var json: JSONValue { .object(["accounts": .integer(accounts)]) }
}

/// Makes the choices of a person who has proved the secret of an address.
private struct AccountChoices {
    let context: ServiceContext
    let state: FlowState
    /// The client whose people may log in.
    let client: UUID?

    /// One choice for each account in a tenant that links the pages, and the client if there is one.
    func make(
        _ key: UserKey, at time: Timestamp, noting recorder: inout AddressProofRecorder
    ) async throws -> [AddressLogin.Choice] {
        let user = UserID(state.userId), loader = StateLoader(reader: context.reader)
        let requesting = try await client.asyncMap { try await context.client(AppID($0)).state }
        var choices: [AddressLogin.Choice] = [], further: [AddressLogin.Choice] = []
        for account in try await context.accounts(of: user).prefix(ProveAddress.mostChoices) {
            let tenant = try await loader.tenant(account.tenant)
            guard tenant.state.links(AppID(state.appId), as: .access), Self.permits(requesting, tenant) else {
                continue
            }
            let employee = try await loader.employee(account.employee, in: account.tenant)
            guard employee.state.account?.user == user else { continue }
            recorder.note(employee.state, device: try state.deviceKey)
            let summary = try await context.summary(of: employee, in: tenant)
            // Without a name the account is erased.
            guard let name = summary.companyEmployeeId else { continue }
            var own: [AddressLogin.Choice] = []
            func offer(_ device: [UInt8], _ passkey: PasskeyFacts? = nil) throws {
                let choice = try self.choice(
                    account.tenant, account.employee, summary.companyName, name, key, device, passkey, at: time)
                if let choice { own.append(choice) }
            }
            // A key of the browser that is not in force would wait, or be refused, where a passkey logs in.
            let passkeys = employee.state.passkeysInForce(under: tenant.state.policy, besides: try state.deviceKey)
            if passkeys.isEmpty || tenant.state.policy.logIn != .passkey { try offer(state.employeePublicKey) }
            for passkey in passkeys { try offer(passkey.key.bytes, passkey.passkey?.facts) }
            choices += own.prefix(1)
            further += own.dropFirst()
        }
        // Of each account one choice at least.
        return Array((choices + further).prefix(ProveAddress.mostChoices))
    }

    /// Whether the client takes people of a tenant, and the tenant links it.
    private static func permits(_ client: App.State?, _ tenant: TenantSnapshot) -> Bool {
        guard let client else { return true }
        guard let id = client.id, let registration = client.client else { return false }
        return registration.takes(tenant.id) && tenant.state.links(id, as: .access)
    }

    private func choice(
        _ tenant: TenantID, _ employee: EmployeeID, _ company: String, _ name: String, _ key: UserKey,
        _ device: [UInt8], _ passkey: PasskeyFacts?, at time: Timestamp
    ) throws -> AddressLogin.Choice? {
        guard let companyName = try? CompanyName(recorded: company),
            let companyEmployeeID = try? CompanyEmployeeID(recorded: name)
        else { return nil }
        let salt = randomBytes(Commitment.saltByteCount)
        let challenge = try Challenge(
            Challenge.Fields(
                issuer: context.settings.issuer, purpose: FlowKind.address.challenge, flow: state.id,
                nonce: randomBytes(32), tenant: tenant.uuid,
                subject: .subject(
                    salt: salt, company: companyName.canonical, employee: companyEmployeeID.canonical),
                app: state.appId.lowercased, employeeKey: try EmployeePublicKey(kept: device),
                credential: state.credentialId,
                expires: min(time.adding(FlowState.challengeLifetime), state.expiresAt)))
        return AddressLogin.Choice(
            tenant: tenant.uuid, employee: employee.uuid, company: company, companyEmployeeId: name,
            challenge: challenge.bytes, salt: salt, userSignature: try key.sign(validationOf: challenge).bytes,
            passkey: passkey)
    }
}

extension Employee.State {
    /// The most passkeys of one account that are offered.
    private static var mostPasskeys: Int { 3 }

    /// The passkeys that log in, the latest first; none if the device key of the browser does.
    fileprivate func passkeysInForce(under policy: TenantPolicy, besides device: PublicKeyBytes) -> [Employee.Key] {
        guard policy.logIn == .passkey || keys[device]?.status != .authorized else { return [] }
        let held = keys.values.filter {
            $0.status == .authorized && $0.passkey.map { !$0.isStopped(by: policy) } == true
        }
        return Array(held.sorted { $0.presentedAt > $1.presentedAt }.prefix(Self.mostPasskeys))
    }
}
