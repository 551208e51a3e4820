package import ErrorCodes

/// What the contract says about an endpoint besides its path and its credentials.
package struct EndpointTerms: Sendable {
    package let operation: String
    package let chapter: Endpoint.Chapter
    /// Everyone who may call.
    package let callers: [EndpointCaller]
    package let body: EndpointBody
    package let answer: EndpointAnswer
    package let query: [QueryParameter]
    /// What the endpoint does besides.
    package let traits: EndpointTraits
    /// The codes of refusals that do not follow from the rest.
    let ownCodes: [ErrorCode]

    /// The codes that the endpoint may refuse with, besides those of every unknown path and method.
    package func codes(captures: [String]) -> Set<ErrorCode> {
        var codes = Set(ownCodes).union([.requestInvalid, .serviceUnavailable, .serviceClock])
        if chapter != .operation { codes.insert(.requestRateLimited) }
        let schemes = Set(callers.compactMap(\.scheme)), isOfCompany = captures.contains("companyName")
        if schemes.contains(.app) { codes.formUnion([.appUnknown, .appSecretInvalid, .appRoleMissing]) }
        if schemes.contains(.employee) { codes.formUnion([.sessionExpired, .sessionInvalid]) }
        if isOfCompany {
            codes.insert(.companyNameMissing)
            if !answer.isPage { codes.insert(.companyUnknown) }
            if schemes.contains(.employee) { codes.formUnion([.authorizationNotPermitted, .sessionRoleMissing]) }
        }
        if captures.contains("companyEmployeeId") { codes.formUnion([.employeeIdMissing, .employeeUnknown]) }
        if captures.contains("flow") { codes.formUnion([.flowAlreadyUsed, .flowExpired, .flowWrongStep]) }
        if traits.contains(.idempotent) {
            codes.formUnion([.idempotencyInProgress, .idempotencyConflict, .serviceBusy])
        }
        if body.kind != .none { codes.formUnion([.requestTooLarge, .requestMediaType]) }
        return codes
    }
}

/// What an endpoint does with header fields.
package struct EndpointTraits: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// It replies to a repeated `Idempotency-Key` with the stored reply.
    package static let idempotent = EndpointTraits(rawValue: 1)
    /// It has an `ETag`, and replies to `If-None-Match` with 304 while that is the same.
    package static let conditional = EndpointTraits(rawValue: 2)
    /// It waits until the views have reached `Tenure-Wait-For`.
    package static let waits = EndpointTraits(rawValue: 4)
    /// It writes in a language of `Accept-Language`.
    package static let multilingual = EndpointTraits(rawValue: 8)
    /// It refuses another version than that of `If-Match`.
    package static let versioned = EndpointTraits(rawValue: 16)
    /// It tells the position in the tenant's ledger in `Tenure-Position`.
    package static let positioned = EndpointTraits(rawValue: 32)
    /// Scripts of clients' web pages may call its path (Fetch, section 3.2).
    package static let openToOrigins = EndpointTraits(rawValue: 64)
}

extension [ErrorCode] {
    /// The codes of a start that names a tenant, an employee and a device key.
    static let names: Self = [.companyNameMissing, .employeeIdMissing, .employeeKeyInvalid]
    static let newCredentials: Self = [
        .credentialsFiveQuestionsRequired, .credentialsIncomplete, .credentialsCustomQuestion, .credentialsTooWeak,
    ]
    /// The codes of the step that completes a registration.
    static let enrolment: Self = [
        .appNotLinked, .companyAlreadyFounded, .employeeAlreadyRegistered, .invitationInvalid, .mailUnavailable,
        .registrationInvitationRequired, .requestStale,
    ]
    /// The codes of an employee who may not log in.
    static let admission: Self = [
        .authorizationNotPermitted, .employeeInactive, .employeeNotApproved, .employeePasskeyRequired,
        .passkeyStopped,
    ]
    /// The codes of a return of the security admin.
    static let returning: Self = [.returnInProgress, .returnNotAvailable, .returnNotPermitted, .mailUnavailable]
    /// The codes of an M-Pin identity that has ended.
    static let endedMPin: Self = [.mpinBlocked, .mpinEnded]
}
