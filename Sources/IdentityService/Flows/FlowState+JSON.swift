import Canonical
import Credentials
import FoundationEssentials

/// The row's clear form: canonical JSON, sealed under the flows key before it is stored.
extension FlowState {
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id.lowercased), "purpose": .string(purpose.rawValue), "step": .string(step.rawValue),
            "app": .string(appId.lowercased), "tenant": .string(tenantId.lowercased),
            "company": .string(companyName), "employee": .string(companyEmployeeId),
            "owned": .bool(isCompanyOwnedEmail), "key": .string(Base64URL.encode(employeePublicKey)),
            "employeeId": .string(employeeId.lowercased), "userId": .string(userId.lowercased),
            "credentialId": .string(credentialId.lowercased),
            "namedCredentialId": .string(namedCredentialId.lowercased), "decoy": .bool(isDecoy),
            "user": .bool(userExists), "questions": .bool(questionsAllowed),
            "challenge": .string(Base64URL.encode(challenge)), "salt": .string(Base64URL.encode(subjectSalt)),
            "expires": .string(expiresAt.description), "secret": .string(Base64URL.encode(secret)),
            "charges": .array(
                charges.map {
                    .array([.string($0.id.lowercased), .integer(Int64($0.version)), .bool($0.wasKnownDevice)])
                }),
        ]
        if let decoyKeys { members["decoyKeys"] = .string(Base64URL.encode(decoyKeys)) }
        if let standIn { members["standIn"] = standIn.json }
        if isHidden { members["hidden"] = .bool(true) }
        if let seed {
            members["seed"] = .string(Base64URL.encode(seed))
            members["evaluated"] = .integer(Int64(setUpEvaluations))
        }
        if let attempt {
            members["attempt"] = .array([.integer(Int64(attempt.first.byte)), .bool(attempt.isSpent)])
        }
        if let change { members["change"] = change.json }
        if let recovery { members["recovery"] = recovery.json }
        if let email { members["email"] = .string(email) }
        if let proved {
            members["proved"] = .object([
                "challenge": .string(Base64URL.encode(proved.challenge)),
                "signature": .string(Base64URL.encode(proved.signature)),
            ])
        }
        return .object(members)
    }

    /// Reads what ``json`` wrote.
    init(json: JSONValue) throws {
        var reader = try ObjectReader(json)
        id = try reader.uuid("id")
        guard let purpose = FlowPurpose(rawValue: try reader.string("purpose")),
            let step = Step(rawValue: try reader.string("step"))
        else { throw ServiceError(.flowExpired) }
        self.purpose = purpose
        self.step = step
        appId = try reader.uuid("app")
        tenantId = try reader.uuid("tenant")
        companyName = try reader.string("company")
        companyEmployeeId = try reader.string("employee")
        email = try reader.optionalString("email")
        isCompanyOwnedEmail = try reader.bool("owned")
        employeePublicKey = try reader.bytes("key")
        employeeId = try reader.uuid("employeeId")
        userId = try reader.uuid("userId")
        credentialId = try reader.uuid("credentialId")
        namedCredentialId = try reader.uuid("namedCredentialId")
        isDecoy = try reader.bool("decoy")
        userExists = try reader.bool("user")
        questionsAllowed = try reader.bool("questions")
        challenge = try reader.bytes("challenge")
        subjectSalt = try reader.bytes("salt")
        expiresAt = try reader.timestamp("expires")
        secret = try reader.bytes("secret")
        charges = try reader.array("charges").map(Self.charge)
        proved = try reader.optionalObject("proved").map { object in
            var object = object
            let proved = ProvedKey(challenge: try object.bytes("challenge"), signature: try object.bytes("signature"))
            try object.finish()
            return proved
        }
        decoyKeys = try reader.optionalBytes("decoyKeys")
        standIn = try reader.optionalValue("standIn").map { try StandIn(json: $0) }
        isHidden = try reader.optionalBool("hidden") ?? false
        seed = try reader.optionalBytes("seed")
        setUpEvaluations = Int(try reader.optionalInteger("evaluated") ?? 0)
        attempt = try reader.optionalValue("attempt").map(Self.attempt)
        change = try reader.optionalObject("change").map { try PendingChange(reading: $0) }
        recovery = try reader.optionalObject("recovery").map { try PendingRecovery(reading: $0) }
        try reader.finish()
    }

    private static func attempt(_ value: JSONValue) throws -> BlindAttempt {
        guard case .array(let parts) = value, parts.count == 2, case .integer(let byte) = parts[0],
            case .bool(let isSpent) = parts[1], let byte = UInt8(exactly: byte), let first = CopySlot(byte: byte)
        else { throw ServiceError(.flowExpired) }
        return BlindAttempt(first: first, isSpent: isSpent)
    }

    private static func charge(_ value: JSONValue) throws -> Charge {
        guard case .array(let parts) = value, parts.count == 3, case .string(let id) = parts[0],
            case .integer(let version) = parts[1], case .bool(let known) = parts[2], let id = UUID(uuidString: id)
        else { throw ServiceError(.flowExpired) }
        return Charge(id: id, version: Int(version), wasKnownDevice: known)
    }
}
