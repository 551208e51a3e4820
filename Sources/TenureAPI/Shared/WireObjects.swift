package import Canonical

/// Every table of members of the contract. One that is missing here fails a test.
package enum WireObjects {
    package static let all: [any WireObject.Type] = requests + responses

    /// Bodies of requests, and their parts.
    package static let requests: [any RequestObject.Type] = [
        AnswersRequest.self, AnswersRequest.Answer.self, AppLinkRequest.self, CredentialsChangeRequest.self,
        CredentialsRequest.self, EmailReclaimRequest.self, EvaluationsRequest.self, EvaluationsRequest.Element.self,
        InvitationRequest.self, KeyProofRequest.self, LoginRequest.self, MPinActivateRequest.self,
        MPinActivationRequest.self, MPinLinkRequest.self, MPinLoginRequest.self, MPinPolicyChangeRequest.self,
        NewPasskey.self, NewSecurityQuestion.self, PasskeyAnswer.self, PasskeyLoginRequest.self, PasskeyRequest.self,
        PassphraseRequest.self, PolicyChangeRequest.self, ProofRequest.self,
        ProofRequest.Question.self, RegistrationRequest.self, ResourceTokenRequest.self, RoleRequest.self,
        SessionRefreshRequest.self, StatusDecisionRequest.self,
    ]

    package static let responses: [any ResponseObject.Type] = [
        CompanyResponse.self, CredentialRulesResponse.self, DeviceResponse.self, DeviceResponse.Authorizer.self,
        DeviceResponse.Presenter.self, DevicesResponse.self, EmailVerificationResponse.self, EmployeeKeyResponse.self,
        EmployeeResponse.self, EmployeeSummaryResponse.self, EvaluationsResponse.self,
        EvaluationsResponse.Evaluation.self, EventResponse.self, FlowStartedResponse.self, GrantResponse.self,
        InvitationResponse.self, LinkedCompanyResponse.self,
        MPinAuthenticationResponse.self, MPinIdentityResponse.self, MPinPolicyResponse.self,
        MPinRegistrationResponse.self, MPinSignatureResponse.self, MeResponse.self, MeResponse.App.self,
        MeResponse.Session.self, NoticeResponse.self, OpenSessionResponse.self, OpeningResponse.self,
        PasskeyOptionsResponse.self, PendingAuthorizationResponse.self, PolicyResponse.self, Problem.self,
        ProblemPlace.self, QuestionListResponse.self, QuestionListResponse.Item.self, QuestionResponse.self,
        RecoveryResponse.self,
        RecoveryResponse.Subject.self, ResourceTokenResponse.self, SecurityAdminResponse.self, SessionResponse.self,
        SetUpPlanResponse.self, SetUpPlanResponse.Approvals.self, SetUpPlanResponse.Previous.self,
        SetUpPlanResponse.Scrypt.self, TokenGrantResponse.self, TokenIntrospectionResponse.Claims.self,
        TokenMetadataResponse.self,
    ]
}

extension WireObject {
    package static var outline: (name: String, members: [MemberDescription]) { (members.name, members.members) }
}
