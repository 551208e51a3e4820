import Canonical

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Challenge.Fields {
    /// The members in JSON; names in alphabetical order are `app credential employeeKey expires flow issuer nonce
    /// purpose subject tenant`.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "app": .string(app),
            "employeeKey": .string(Base64URL.encode(employeeKey.bytes)),
            "expires": .string(expires.description),
            "flow": .string(flow.lowercased),
            "issuer": .string(issuer),
            "nonce": .string(Base64URL.encode(nonce)),
            "purpose": .string(purpose.rawValue),
            "subject": .string(Base64URL.encode(subject.bytes)),
            "tenant": .string(tenant.lowercased),
        ]
        if let credential { members["credential"] = .string(credential.lowercased) }
        return .object(members)
    }

    init(json bytes: [UInt8], isKept: Bool = false) throws(CredentialsError) {
        do {
            var reader = try ObjectReader(try CanonicalJSON.parse(bytes))
            let purposeName = try reader.string("purpose")
            guard let purpose = Challenge.Purpose(rawValue: purposeName) else {
                throw CredentialsError(.challengeInvalid, field: "purpose")
            }
            let key = try reader.bytes("employeeKey")
            self.init(
                issuer: try reader.string("issuer"), purpose: purpose, flow: try reader.uuid("flow"),
                nonce: try reader.bytes("nonce"), tenant: try reader.uuid("tenant"),
                subject: try Commitment(bytes: try reader.bytes("subject")), app: try reader.string("app"),
                employeeKey: isKept ? try EmployeePublicKey(kept: key) : try EmployeePublicKey(bytes: key),
                credential: try reader.optionalUUID("credential"), expires: try reader.timestamp("expires"))
            try reader.finish()
        } catch let error as CredentialsError where error.code == .challengeInvalid {
            throw error
        } catch {
            throw CredentialsError(.challengeInvalid)
        }
        try check()
    }

    func check() throws(CredentialsError) {
        guard (1...255).contains(issuer.utf8.count) else {
            throw CredentialsError(.challengeInvalid, field: "issuer")
        }
        guard nonce.count == 32 else { throw CredentialsError(.challengeInvalid, field: "nonce") }
        guard app.isCodeName else { throw CredentialsError(.challengeInvalid, field: "app") }
    }
}

extension String {
    /// Whether this is 1 to 64 characters of A–Z a–z 0–9 `.` `_` `-`: a name that can carry no personal text.
    var isCodeName: Bool {
        (1...64).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2e, 0x5f, 0x2d: true
                default: false
                }
            }
    }
}
