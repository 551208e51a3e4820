import TenureAPI

/// A request that each operation accepts.
enum Samples {
    static let registration =
        #"{"companyName":"Acme","companyEmployeeId":"7","email":"a@b.example","employeePublicKey":"BAE="}"#
    static let login = #"{"companyName":"Acme","companyEmployeeId":"7","employeePublicKey":"BAE="}"#
    static let credentials = #"{"securityQuestions":[{"question":"Q","answer":"A"}]}"#
    static let answers = #"{"answers":[{"questionId":"AAAA","answer":"x"}]}"#

    static func body(_ endpoint: Endpoint) -> String? {
        switch endpoint {
        case .startRegistration: registration
        case .startLogin: login
        case .proveRegistrationKey, .proveLoginKey: #"{"keyProof":"AQID"}"#
        case .setCredentials: credentials
        case .validateRegistrationAnswers, .validateLoginAnswers: answers
        case .validateRegistrationPassphrase, .validateLoginPassphrase: #"{"passphrase":"correct horse"}"#
        case .refreshSession: #"{"refreshToken":"cg"}"#
        case .refuseKey, .revokeKey: #"{"reason":"lost.device"}"#
        case .reclaimEmail: #"{"email":"a@b.example","reason":"left"}"#
        case .changePolicy: #"{"blindOnly":true}"#
        default: nil
        }
    }

    static func path(_ endpoint: Endpoint) -> String {
        endpoint.template.path(Dictionary(uniqueKeysWithValues: endpoint.template.captures.map { ($0, "v-\($0)") }))
    }

    static func authorization(_ endpoint: Endpoint) -> String? {
        switch endpoint.access {
        case .anyone: nil
        case .app, .appOrEmployee: API.basic
        case .employee: API.bearer
        }
    }
}
