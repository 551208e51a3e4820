import ErrorCodes

extension TenureClientError {
    /// The name of this error in Bayun's iOS library, for apps that are ported.
    ///
    /// Several errors of this library map to the same name. Bayun has no lock, no rate limit and no expiry of a flow;
    /// these map to `BayunErrorInvalidOperation` or `BayunErrorSomethingWentWrong`.
    public var bayunName: String { "BayunError" + kind.bayunSuffix }
}

extension TenureClientError.Kind {
    var bayunSuffix: String { ownBayunSuffix ?? ErrorCode(rawValue: rawValue)?.bayunSuffix ?? "SomethingWentWrong" }

    /// The name, where it is not that of all codes with the same status.
    private var ownBayunSuffix: String? {
        switch self {
        case .companyNameMissing: "CompanyNameCannotBeNil"
        case .employeeIdMissing: "CompanyEmployeeIdCannotBeNil"
        case .emailMissing: "EmailCannotBeNil"
        case .fiveQuestionsRequired, .credentialsIncomplete: "OneOrMoreTextFieldsAreEmpty"
        case .atLeastThreeAnswersRequired: "AtleastThreeAnswersRequired"
        case .passphraseMissing: "PassphraseCannotBeNil"
        case .emailNotCompanyOwned, .questionsAlike, .textTooLong, .textInvalid, .questionTwice, .questionUnknown:
            "IncorrectInput"
        case .appUnknown: "InvalidAppId"
        case .appSecretInvalid: "InvalidAppSecret"
        case .notLoggedIn: "ReAuthenticationNeeded"
        case .answersIncorrect: "OneOrMoreIncorrectAnswers"
        case .passphraseIncorrect: "InvalidPassphrase"
        case .appLastWithAccess: "AccessDenied"
        case .employeeInactive, .employeeNotApproved: "UserInActive"
        case .companyUnknown: "CompanyDoesNotExists"
        case .employeeUnknown: "EmployeeNotExistsInGivenCompany"
        case .appNotLinked: "AppNotLinked"
        case .employeeAlreadyRegistered: "EmployeeAlreadyExists"
        case .employeeKeyInvalid, .signingRefused, .credentialsChanged, .keyFileInvalid, .pinInvalid,
            .mpinUnauthorized, .mpinWrongPIN, .mpinUnknown, .mpinPointInvalid:
            "AuthenticationFailed"
        case .authorizationPending: "EmployeeAuthorizationIsPending"
        case .cancelled: "PasscodeAuthenticationCanceledByUser"
        case .connectionLost, .serviceUnavailable: "CouldNotConnectToServer"
        case .baseURLMissing: "BayunAppCredentialsCannotBeNil"
        case .policyBlindOnly, .returnNotPermitted, .mpinDisabled, .promptRequired, .promptUnavailable,
            .modeUnavailable:
            "InvalidOperation"
        case .routeUnknown: "SomethingWentWrong"
        default: nil
        }
    }
}

extension ErrorCode {
    /// The name of a code that has none of its own.
    fileprivate var bayunSuffix: String {
        switch status {
        case 400, 413: "IncorrectInput"
        case 401: "ReAuthenticationNeeded"
        case 403: "AccessDenied"
        case 405, 415, 500...: "SomethingWentWrong"
        default: "InvalidOperation"
        }
    }
}
