extension TenureClientError {
    /// The name of this error in Bayun's iOS library, for apps that are ported.
    ///
    /// Several errors of this library map to the same name. Bayun has no lock, no rate limit and no expiry of a flow;
    /// these map to `BayunErrorInvalidOperation` or `BayunErrorSomethingWentWrong`.
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
        case .requestInvalid, .requestTooLarge, .resourceUnknown, .emailInvalid, .emailNotCompanyOwned, .questionsAlike,
            .textTooLong, .textInvalid,
            .questionTwice, .questionUnknown, .customQuestion, .credentialsTooWeak:
            "IncorrectInput"
        case .appUnknown: "InvalidAppId"
        case .appSecretInvalid: "InvalidAppSecret"
        case .sessionExpired, .sessionInvalid, .sessionReused, .notLoggedIn: "ReAuthenticationNeeded"
        case .answersIncorrect: "OneOrMoreIncorrectAnswers"
        case .passphraseIncorrect: "InvalidPassphrase"
        case .appRoleMissing, .authorizationNotPermitted, .sessionLoginRequired, .invitationInvalid,
            .invitationRequired, .appLastWithAccess:
            "AccessDenied"
        case .employeeInactive, .employeeNotApproved: "UserInActive"
        case .companyUnknown: "CompanyDoesNotExists"
        case .employeeUnknown: "EmployeeNotExistsInGivenCompany"
        case .appNotLinked: "AppNotLinked"
        case .companyAlreadyFounded: "InvalidOperation"
        case .employeeAlreadyRegistered: "EmployeeAlreadyExists"
        case .employeeKeyInvalid, .signingRefused, .credentialsChanged, .keyFileInvalid, .pinInvalid,
            .mpinUnauthorized, .mpinWrongPIN, .mpinUnknown, .mpinPointInvalid:
            "AuthenticationFailed"
        case .authorizationPending: "EmployeeAuthorizationIsPending"
        case .cancelled: "PasscodeAuthenticationCanceledByUser"
        case .connectionLost, .serviceUnavailable: "CouldNotConnectToServer"
        case .baseURLMissing: "BayunAppCredentialsCannotBeNil"
        case .wrongStep, .flowExpired, .flowEnded, .policyBlindOnly, .emailNotReclaimable, .emailUnverified,
            .credentialsLocked, .rateLimited, .requestStale, .idempotencyConflict, .idempotencyInProgress,
            .authorizationUnknownKey,
            .promptRequired, .promptUnavailable, .modeUnavailable, .recoveryUnknown, .recoveryInProgress,
            .recoveryOtherCompanies, .recoveryNotAvailable, .returnUnknown, .returnNotPermitted, .returnInProgress,
            .returnNotAvailable, .mpinRequestExpired, .mpinWrongState, .mpinKeyExpired,
            .mpinEnded, .mpinBlocked, .mpinDisabled:
            "InvalidOperation"
        case .routeUnknown, .methodNotAllowed, .requestMediaType, .serviceBusy, .serviceClock, .mailUnavailable,
            .responseInvalid, .addressInvalid,
            .storageFailed, .unrecognized:
            "SomethingWentWrong"
        }
    }
}
