import Canonical

extension CredentialValidation {
    /// The members of `AnswersValidated` and `PassphraseValidated`.
    func json(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(challenge, EventLimits.challenge, "/data/challenge")
        return .object([
            "employeeId": employeeID.json,
            "userId": userID.json,
            "credentialId": credentialID.json,
            "userKey": .bytes(userKey.bytes),
            "employeeKey": .bytes(employeeKey.bytes),
            "purpose": .string(purpose.rawValue),
            "mode": .string(mode.rawValue),
            "challenge": .bytes(challenge),
            "deviceSignature": .bytes(deviceSignature.bytes),
            "userSignature": .bytes(userSignature.bytes),
            "subjectSalt": try coder.seal(subjectSalt, at: "/data/subjectSalt"),
        ])
    }
}

extension EventReader {
    mutating func validation() throws -> CredentialValidation {
        CredentialValidation(
            employeeID: try id("employeeId"), userID: try id("userId"), credentialID: try id("credentialId"),
            userKey: try key("userKey"), employeeKey: try key("employeeKey"), purpose: try one("purpose"),
            mode: try one("mode"), challenge: try bytes("challenge", EventLimits.challenge),
            deviceSignature: try signature("deviceSignature"), userSignature: try signature("userSignature"),
            subjectSalt: try personal("subjectSalt"))
    }
}
