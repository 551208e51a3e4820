import Canonical
import Credentials
import ErrorCodes
import EventCoding
import Identity
import Keys
import Ledger

/// The passkeys of an account, and what a page needs to have another one made.
package struct OwnPasskeys: Sendable, RedactedDescription {
    /// A passkey that is pending or in force.
    package struct Held: Sendable, RedactedDescription {
        /// The fingerprint of the key, in hexadecimal.
        package let fingerprint: String
        package let credential: [UInt8]
        /// The public key, as statements name a signer.
        package let key: [UInt8]
        /// Whether a sync provider may copy it, by the authenticator's word.
        package let isSynced: Bool
        /// Whether it opens nothing before a decision.
        package var isPending = false
    }

    package let rpID: String
    /// The `user.id`: 32 bytes, the same for every passkey of the account.
    package let handle: [UInt8]
    package let held: [Held]
    /// Whether nobody knows a secret of the account's owner, who logs in with passkeys alone.
    package var isSecretless = false
    /// Whether the tenant lets a passkey alone log in.
    package var isEnough = false
}

/// Reads the passkeys of the caller's account.
package struct ReadPasskeys: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    /// Returns the passkeys; `nil` if the service takes none.
    package func run(_ run: UseCaseRun<OwnPasskeys?>) async throws -> OwnPasskeys? {
        guard let rules = try await run.context.passkeyRules() else { return nil }
        let own = try await OwnAccount(of: caller, run.context), state = own.employee.state
        guard let user = state.account?.user else { return nil }
        let credentials = try await StateLoader(reader: run.context.reader).user(user).state.credentials
        return OwnPasskeys(
            rpID: rules.rpID, handle: try run.context.passkeyHandle(of: own.employee, in: own.tenant.id).bytes,
            held: state.keys.values.filter { [.pending, .authorized].contains($0.status) }.compactMap { key in
                key.passkey.map {
                    OwnPasskeys.Held(
                        fingerprint: key.fingerprint.description, credential: $0.facts.credentialID, key: key.key.bytes,
                        isSynced: $0.facts.isBackupEligible, isPending: key.status == .pending)
                }
            }, isSecretless: credentials?.isSecretless == true, isEnough: own.tenant.state.policy.logIn != .secret)
    }
}

extension ServiceContext {
    /// The `user.id` of an account: that of its passkeys, or for the first one a keyed digest, which tells nothing.
    func passkeyHandle(of employee: EmployeeSnapshot, in tenant: TenantID) throws -> Bytes32 {
        try employee.state.userHandle ?? passkeyHandle(ofNew: employee.id, in: tenant)
    }

    /// The `user.id` of an account that has no passkey yet.
    func passkeyHandle(ofNew employee: EmployeeID, in tenant: TenantID) throws -> Bytes32 {
        let made = ring.lookupDigest(kind: "passkey-handle", employee.uuid.bytes, scope: tenant.uuid)
        guard let handle = Bytes32(made) else { throw ProgramDefect("a digest has another length") }
        return handle
    }
}

/// Presents a passkey as a further device key of the caller's account. It opens nothing before a decision authorizes it.
///
/// A creation is signed by nobody. So the passkey has signed a challenge too, and what that says of it is recorded.
package struct AddPasskey: UseCase {
    /// What the authenticator made.
    package struct Made: Sendable, RedactedDescription {
        /// The challenge of the creation, which the module has drawn.
        package let random: [UInt8]
        package let authenticatorData: [UInt8]
        package let clientDataJSON: [UInt8]
        /// The public key as a SubjectPublicKeyInfo; `nil` for a platform that does not tell it.
        package let spki: [UInt8]?

        package init(
            random: [UInt8], authenticatorData: [UInt8], clientDataJSON: [UInt8], spki: [UInt8]?
        ) {
            self.random = random
            self.authenticatorData = authenticatorData
            self.clientDataJSON = clientDataJSON
            self.spki = spki
        }
    }

    package let made: Made
    /// The challenge that the passkey signed next, and its evidence.
    package let challenge: [UInt8]
    package let proof: [UInt8]
    /// The secret of the browser.
    package let visitor: String
    package let caller: EmployeeCaller
    /// The app of the pages; `nil` for that of the caller's session.
    package let app: AppCaller?

    package init(
        _ made: Made, challenge: [UInt8], proof: [UInt8], visitor: String, caller: EmployeeCaller, app: AppCaller?
    ) {
        self.made = made
        self.challenge = challenge
        self.proof = proof
        self.visitor = visitor
        self.caller = caller
        self.app = app
    }

    /// Returns the fingerprint of the key in hexadecimal.
    ///
    /// - Throws: `employee.key_invalid` for a passkey that is not one of this site, proves nothing, or belongs to another
    ///   account; `flow.expired`; `authorization.not_permitted` for a key that ended, or too many that wait.
    package func run(_ run: UseCaseRun<String>) async throws -> String {
        let context = run.context, time = run.call.time
        guard let rules = try await context.passkeyRules(everywhere: app == nil) else {
            throw ServiceError(.employeeKeyInvalid)
        }
        let app = if let app { app.appId } else { try await context.app(of: caller) }
        let challenge = try context.passkeyChallenge(
            self.challenge, of: rules.rpID, visitor: visitor, app: app, at: time, addedBy: caller)
        let passkey = try made.proved(by: proof, over: self.challenge, rules), id = passkey.credential.id
        // Nobody logs in with what proved the passkey here.
        guard try await context.takePasskeyChallenge(challenge, at: time) else { throw ServiceError(.flowAlreadyUsed) }
        return try await optimistic {
            let own = try await OwnAccount(of: caller, context), employee = own.employee
            // Nobody adds a passkey to an account whose last device key ended meanwhile.
            guard !own.decider.authorizedKeys.isEmpty else { throw ServiceError(.sessionInvalid) }
            let keys = try await context.personKeys.load([employee.id.uuid], ledger: own.tenant.id.uuid)
            // Without the key the account is erased.
            guard keys[employee.id.uuid] != nil else { throw ServiceError(.sessionInvalid) }
            let facts = passkey.facts(try context.passkeyHandle(of: employee, in: own.tenant.id))
            let events = try Employee.decided(
                employee.state,
                .presentKey(
                    Employee.PresentKey(
                        key: passkey.key, flow: FlowID(challenge.fields.flow), time: time,
                        passkey: facts)))
            let claim = context.ring.passkeyClaim(id, of: employee.id, in: own.tenant.id)
            let former = try await context.reader.claim(claim.key)
            guard former.map({ $0.owner == claim.owner }) ?? true else { throw ServiceError(.employeeKeyInvalid) }
            var recorder = EventRecorder(
                context, at: time,
                metadata: EventMetadata(actor: employee.id.uuid, app: app, requestId: run.call.requestId))
            if former == nil { recorder.claims.append(claim) }
            recorder.notAfter = challenge.fields.expires
            try recorder.add(
                events, to: .employee(employee.id, in: own.tenant.id), version: employee.version, keys: keys)
            try await recorder.append()
            return KeyFingerprint(of: passkey.key).description
        }
    }
}

/// A new passkey that has signed a challenge: what its creation and its assertion say.
struct ProvedPasskey: Sendable {
    let key: PublicKeyBytes
    let credential: AuthenticatorData.Credential
    fileprivate let rpID: String
    fileprivate let signed: AuthenticatorData
    fileprivate let challenge: [UInt8]
    fileprivate let evidence: SignatureBytes

    /// What the presentation of the passkey fixes.
    ///
    /// - Parameter handle: The `user.id` of the account.
    func facts(_ handle: Bytes32) -> PasskeyFacts {
        PasskeyFacts(
            rpID: rpID, credentialID: credential.id, userHandle: handle,
            isBackupEligible: signed.flags.contains(.backupEligible), isBackedUp: signed.flags.contains(.backedUp),
            counter: Int(signed.counter), aaguid: credential.aaguid, challenge: challenge, evidence: evidence)
    }
}

extension AddPasskey.Made {
    /// Checks what the authenticator made, and what it signed of itself.
    ///
    /// - Throws: `employee.key_invalid` for whatever is wrong.
    func proved(
        by proof: [UInt8], over challenge: [UInt8], _ rules: PasskeyRules
    ) throws(ServiceError) -> ProvedPasskey {
        do {
            let origins = rules.origins.map(\.text)
            let creation = try PasskeyCreation(
                authenticatorData: authenticatorData, clientDataJSON: clientDataJSON, publicKey: spki)
            try creation.check(challenge: random, rpID: rules.rpID, origins: origins)
            let evidence = try DeviceEvidence(bytes: proof), credential = creation.credential
            guard let signed = evidence.assertion?.authenticatorData, let stored = SignatureBytes(proof),
                let key = PublicKeyBytes(credential.key.bytes)
            else { throw CredentialsError(.evidenceKind) }
            try evidence.verify(over: challenge, by: credential.key)
            let isSynced = signed.flags.contains(.backupEligible)
            try evidence.check(
                PasskeyIdentity(rpID: rules.rpID, credentialID: credential.id, isBackupEligible: isSynced),
                origins: origins)
            return ProvedPasskey(
                key: key, credential: credential, rpID: rules.rpID, signed: signed, challenge: challenge,
                evidence: stored)
        } catch { throw ServiceError(.employeeKeyInvalid) }
    }
}
