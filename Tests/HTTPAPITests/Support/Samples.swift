import TenureAPI

/// A request that each operation accepts.
enum Samples {
    static let registration =
        #"{"companyName":"Acme","companyEmployeeId":"7","email":"a@b.example","employeePublicKey":"BAE="}"#
    static let login = #"{"companyName":"Acme","companyEmployeeId":"7","employeePublicKey":"BAE="}"#
    static let answers = #"{"answers":[{"questionId":"AAAA","answer":"x"}]}"#
    private static let credentials =
        #"{"securityQuestions":["#
        + (1...5).map { #"{"question":"Q\#($0)","answer":"A"}"# }.joined(separator: ",") + "]}"
    private static let threeAnswers =
        #"{"answers":["# + (1...3).map { #"{"questionId":"AAA\#($0)","answer":"x"}"# }.joined(separator: ",") + "]}"

    static func body(_ endpoint: Endpoint) -> String? {
        switch endpoint {
        case .startRegistration: registration
        case .startLogin, .startChange, .startRecovery: login
        case .proveRegistrationKey, .proveLoginKey, .proveChangeKey, .proveRecoveryKey: #"{"keyProof":"AQID"}"#
        case .setCredentials, .recoverCredentials: credentials
        case .changeCredentials: #"{"currentPassphrase":"correct horse","credentials":"# + credentials + "}"
        case .validateRegistrationAnswers, .validateLoginAnswers: threeAnswers
        case .validateRegistrationPassphrase, .validateLoginPassphrase: #"{"passphrase":"correct horse"}"#
        case .evaluateRegistration, .evaluateLogin, .evaluateChange, .evaluateRecovery:
            #"{"elements":[{"slot":255,"element":"AgAA"}]}"#
        case .proveRegistration, .proveLogin, .proveChange, .proveRecovery: #"{"userSignature":"AQID"}"#
        case .refreshSession: #"{"refreshToken":"cg"}"#
        case .refuseKey, .revokeKey, .revokeDevice, .cancelRecovery: #"{"reason":"lost.device"}"#
        case .reclaimEmail: #"{"email":"a@b.example","reason":"left"}"#
        case .changeRole: #"{"role":"admin"}"#
        case .changePolicy: #"{"blindOnly":true}"#
        default: nil
        }
    }

    static func path(_ endpoint: Endpoint) -> String {
        endpoint.template.path(
            Dictionary(
                uniqueKeysWithValues: endpoint.template.captures.map { ($0, $0 == "position" ? "7" : "v-\($0)") }))
    }

    static func authorization(_ endpoint: Endpoint) -> String? {
        switch endpoint.access {
        case .anyone: nil
        case .app, .appOrEmployee: API.basic
        case .employee: API.bearer
        }
    }
}
