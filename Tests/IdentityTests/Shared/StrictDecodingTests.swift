import Canonical
@testable import Identity
import Testing

@Suite struct `Strict decoding` {
    /// The only members that may be absent.
    static let optional: Set<String> = [
        "EmployeeRegistered/companyName", "EmployeeKeyPresented/passkey", "EmployeeKeyRefused/note",
        "EmployeeKeyRevoked/note",
        "EmployeeCancelled/note", "CredentialsLocked/until", "InvitationIssued/email",
        "MPinRegistrationStarted/deviceName", "MPinClientKeyIssued/pushIdentifier",
        "MailQueued/locale", "ReturnCancelled/fingerprint", "CheckpointSealed/asOf", "AttemptCharged/shares",
        "EntryDisowned/by", "SessionClosed/successor",
        "AppClientChanged/pkce", "DisplayNameSet/name", "EmailVerified/address", "EmailVerified/browserOf",
        "EmailChanged/undoUntil", "EmployeeEmailChanged/subject", "EmployeeEmailChanged/subjectSalt",
        "MPinRevoked/userId", "ReturnOpened/ground", "CredentialsSet/secretless", "CredentialsChanged/secretless",
    ]

    /// Runs a check on each golden object of each event.
    func forEach(_ body: (GoldenFiles.Version, [String: JSONValue]) throws -> Void) throws {
        for version in GoldenFiles.all {
            for value in try GoldenFiles.data(version) {
                guard case .object(let members) = value else { throw EventError(.invalidValue, version.type.type) }
                try body(version, members)
            }
        }
    }

    @Test func `an unknown type or schema is an error`() throws {
        let data = try #require(try GoldenFiles.data(GoldenFiles.Version(type: AppLinked.self, schema: 1)).first)
        #expect(throws: EventError(.unknownType, "AppLnked")) {
            try EventCatalogue.decode(type: "AppLnked", schema: 1, data: data, using: FakeCoder())
        }
        for schema in [-1, 0, 2] {
            #expect(throws: EventError(.unknownSchema, "AppLinked")) {
                try EventCatalogue.decode(type: "AppLinked", schema: schema, data: data, using: FakeCoder())
            }
        }
    }

    @Test func `an unknown member is refused in every event`() throws {
        try forEach { type, members in
            var more = members
            more["extra"] = true
            #expect(throws: JSONError.self, "\(type.type.type)") { try GoldenFiles.decode(type, .object(more)) }
        }
    }

    @Test func `a missing required member is refused in every event`() throws {
        try forEach { type, members in
            for name in members.keys {
                var fewer = members
                fewer[name] = nil
                if Self.optional.contains("\(type.type.type)/\(name)") {
                    _ = try GoldenFiles.decode(type, .object(fewer))
                } else {
                    #expect(throws: JSONError.self, "\(type.type.type)/\(name)") {
                        try GoldenFiles.decode(type, .object(fewer))
                    }
                }
            }
        }
    }

    @Test(arguments: [
        JSONValue.null, .integer(-1), "", "A", ["x"], [:], .string(String(repeating: "A", count: 300_000)),
    ])
    func `a member of another type or size is refused in every event`(wrong: JSONValue) throws {
        try forEach { type, members in
            for name in members.keys {
                // A one-letter name is a name.
                if wrong == "A", ["companyName", "domain", "name"].contains(name) { continue }
                var changed = members
                changed[name] = wrong
                #expect(throws: JSONError.self, "\(type.type.type)/\(name)") {
                    try GoldenFiles.decode(type, .object(changed))
                }
            }
        }
    }

    @Test func `the decider is decoded strictly`() throws {
        func decode(_ by: JSONValue) throws -> any EventPayload {
            try GoldenFiles.decode(
                GoldenFiles.Version(type: AppLinked.self, schema: 1),
                ["appId": .uuid(Sample.uuid(3)), "by": by, "roles": ["access"]])
        }
        _ = try decode(["kind": "policy"])
        let golden = try GoldenFiles.data(GoldenFiles.Version(type: EmployeeKeyAuthorized.self, schema: 1)).compactMap {
            $0["by"]
        }
        let signed = try #require(golden.last)
        _ = try decode(signed)
        guard case .object(let members) = signed else { throw EventError(.invalidValue, "by") }
        #expect(members.keys.sorted() == ["employee", "key", "kind", "signature", "statement"])
        for name in members.keys {
            var fewer = members
            fewer[name] = nil
            #expect(throws: JSONError.self, "\(name)") { try decode(.object(fewer)) }
            var changed = members
            changed[name] = "AAAA"
            // Three bytes are a statement; everything else has one size.
            if name != "statement" { #expect(throws: JSONError.self, "\(name)") { try decode(.object(changed)) } }
        }
        for wrong: JSONValue in [
            ["kind": "nobody"], ["kind": "policy", "app": .uuid(Sample.uuid(3))], [:], "policy",
            ["kind": "app", "app": .uuid(Sample.uuid(3))], ["kind": "operator", "signature": "AAAA"],
        ] {
            #expect(throws: JSONError.self) { try decode(wrong) }
        }
    }

    @Test func `a plaintext name with NUL is refused`() throws {
        #expect(throws: JSONError.self) {
            try GoldenFiles.decode(
                GoldenFiles.Version(type: DomainConfirmed.self, schema: 1),
                ["aLabel": "a.example", "domain": "a\0b", "by": ["kind": "operator"]])
        }
    }

    @Test(arguments: ["hardware", "Passkey", ""])
    func `a device key of an unknown kind is refused`(kind: String) throws {
        let version = GoldenFiles.Version(type: EmployeeKeyPresented.self, schema: 1)
        guard case .object(var members)? = try GoldenFiles.data(version).first else {
            throw EventError(.invalidValue, "kind")
        }
        members["kind"] = .string(kind)
        let error = #expect(throws: JSONError.self) { try GoldenFiles.decode(version, .object(members)) }
        #expect(error?.pointer == "/data/kind" && error?.code == .invalidValue)
    }

    @Test func `an erased text keeps its owner and loses its content`() throws {
        let data = try #require(
            try GoldenFiles.data(GoldenFiles.Version(type: EmployeeRegistered.self, schema: 1)).first)
        let coder = FakeCoder(erased: [EventSamples.employee.uuid])
        let event = try EmployeeRegistered(data: data, schema: 1, using: coder)
        #expect(event.email == Personal(EventSamples.employee, nil))
        #expect(event.companyName == "BayunSystems.com")
    }

    @Test func `an unreadable value is not encoded`() throws {
        let long = [UInt8](repeating: 1, count: 20_000)
        let signature = try Sample.signature(1)
        let wrong: [any EventPayload] = [
            AppRegistered(appID: EventSamples.app, name: "", salt: try Sample.bytes32(1), by: .operator(nil)),
            AppRegistered(
                appID: EventSamples.app, name: String(repeating: "x", count: 257), salt: try Sample.bytes32(1),
                by: .operator(nil)),
            DomainConfirmed(domain: "a\0b", aLabel: "a.example", by: .operator(nil)),
            CredentialsSet(
                userID: EventSamples.user, credentialID: EventSamples.credential, record: long,
                email: Personal(EventSamples.user, "a@b"), challenge: [1], deviceSignature: signature,
                userSignature: signature),
            CredentialsSet(
                userID: EventSamples.user, credentialID: EventSamples.credential, record: [1],
                email: Personal(EventSamples.user, "a@b"), challenge: [], deviceSignature: signature,
                userSignature: signature),
            AppLinked(
                appID: EventSamples.app,
                by: .employee(
                    EventSamples.admin, SignedStatement(key: Sample.key(1), statement: long, signature: signature))),
            AttemptCharged(
                credentialID: EventSamples.credential, flow: EventSamples.flow, device: .known,
                fingerprint: try Sample.fingerprint(1), spent: -1, limit: 20),
            TenantPolicyChanged(policy: TenantPolicy(recoveryDelayHours: 0), by: .founding),
            MPinPolicyChanged(policy: MPinPolicy(maximumFailures: 6), by: .founding),
            CheckpointSealed(
                checkpoints: [.init(ledger: Sample.uuid(1), size: 0, root: try Sample.bytes32(1))],
                clock: Sample.start),
            AdminAppointed(employeeID: EventSamples.employee, fingerprints: [], by: .founding),
        ]
        for event in wrong { #expect(throws: EventError.self) { try GoldenFiles.encode(event) } }
    }
}
