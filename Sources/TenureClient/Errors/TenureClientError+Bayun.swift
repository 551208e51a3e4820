extension TenureClientError {
    /// The name that Bayun's iOS library gives to this error, for apps that are being ported.
    ///
    /// Several of this library's errors share a name there, and some have none: Bayun knows no lock, no limit of requests
    /// and no expiry of a flow; those are `BayunErrorInvalidOperation` or `BayunErrorSomethingWentWrong`.
    public var bayunName: String { "BayunError" + kind.bayunSuffix }
}

extension TenureClientError.Kind {
    var bayunSuffix: String {
        switch self {
        case .companyNameMissing: "CompanyNameCannotBeNil"
        case .employeeIdMissing: "CompanyEmployeeIdCannotBeNil"
        case .emailMissing: "EmailCannotBeNil"
        case .fiveQuestionsRequired, .credentialsIncomplete: "OneOrMoreTextFieldsAreEmpty"
        case .atLeastThreeAnswersRequired: "AtleastThreeAnswersRequired"
        case .passphraseMissing: "PassphraseCannotBeNil"
        case .requestInvalid, .emailInvalid, .emailNotCompanyOwned, .questionsAlike, .textTooLong, .textInvalid,
            .questionTwice, .questionUnknown:
            "IncorrectInput"
        case .appUnknown: "InvalidAppId"
        case .appSecretInvalid: "InvalidAppSecret"
        case .sessionExpired, .sessionInvalid, .notLoggedIn: "ReAuthenticationNeeded"
        case .answersIncorrect: "OneOrMoreIncorrectAnswers"
        case .passphraseIncorrect: "InvalidPassphrase"
        case .appRoleMissing, .authorizationNotPermitted: "AccessDenied"
        case .employeeInactive, .employeeNotApproved: "UserInActive"
        case .companyUnknown: "CompanyDoesNotExists"
        case .employeeUnknown: "EmployeeNotExistsInGivenCompany"
        case .appNotLinked: "AppNotLinked"
        case .employeeAlreadyRegistered: "EmployeeAlreadyExists"
        case .employeeKeyInvalid, .signingRefused, .credentialsChanged, .keyFileInvalid, .pinInvalid:
            "AuthenticationFailed"
        case .authorizationPending: "EmployeeAuthorizationIsPending"
        case .cancelled: "PasscodeAuthenticationCanceledByUser"
        case .connectionLost, .serviceUnavailable: "CouldNotConnectToServer"
        case .baseURLMissing: "BayunAppCredentialsCannotBeNil"
        case .wrongStep, .flowExpired, .flowEnded, .policyBlindOnly, .emailNotReclaimable, .credentialsLocked,
            .rateLimited, .requestStale, .idempotencyConflict, .idempotencyInProgress, .authorizationUnknownKey,
            .promptRequired, .promptUnavailable, .modeUnavailable, .recoveryUnknown, .recoveryInProgress,
            .recoveryOtherCompanies:
            "InvalidOperation"
        case .routeUnknown, .methodNotAllowed, .serviceBusy, .responseInvalid, .addressInvalid, .storageFailed,
            .unrecognized:
            "SomethingWentWrong"
        }
    }
}
