import Canonical
import Crypto

/// Somebody of the demo company, with the secrets that only a demonstration writes down.
struct DemoPerson: Sendable {
    let employeeId: String
    let email: String
    let isCompanyOwnedEmail: Bool
    /// The key of this person's device.
    let device: P256.Signing.PrivateKey

    /// The five questions, the same for everybody.
    static let questions = [
        "Which street did you live in as a child?", "What was your first teacher called?",
        "Where did your parents meet?", "What did you want to become?", "Which book did you read twice?",
    ]

    /// The answers, in the order of the questions.
    var answers: [String] {
        ["Quay", "Lindqvist", "Night train", "Lighthouse keeper", "Atlas"].map { "\($0) of \(employeeId)" }
    }

    /// The 65-byte X9.63 point of a device's key.
    static func point(of device: P256.Signing.PrivateKey) -> [UInt8] { Array(device.publicKey.x963Representation) }

    /// What a person needs to log in as this one.
    var json: JSONValue {
        .object([
            "companyEmployeeId": .string(employeeId), "email": .string(email),
            "isCompanyOwnedEmail": .bool(isCompanyOwnedEmail),
            "devicePrivateKeyPEM": .string(device.pemRepresentation),
            "employeePublicKey": .string(Base64.encode(Self.point(of: device))),
            "answers": .object(
                Dictionary(uniqueKeysWithValues: zip(Self.questions, answers.map { JSONValue.string($0) }))),
        ])
    }

    init(employeeId: String, email: String, isCompanyOwnedEmail: Bool) {
        self.employeeId = employeeId
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        device = P256.Signing.PrivateKey()
    }

    /// Reads what ``json`` wrote.
    init(json: JSONValue) throws {
        var reader = try ObjectReader(json)
        employeeId = try reader.string("companyEmployeeId")
        email = try reader.string("email")
        isCompanyOwnedEmail = try reader.bool("isCompanyOwnedEmail")
        device = try P256.Signing.PrivateKey(pemRepresentation: try reader.string("devicePrivateKeyPEM"))
    }
}
