import Canonical
import TenureAPI

/// Every table of members in the sources. One that is missing here fails a test.
enum WireCatalogue {
    static let all: [any WireObject.Type] = requests + responses

    static let requests: [any RequestObject.Type] = [
        AnswersRequest.self, AnswersRequest.Answer.self, AppLinkRequest.self, CredentialsChangeRequest.self,
        CredentialsRequest.self, EmailReclaimRequest.self, EvaluationsRequest.self, EvaluationsRequest.Element.self,
        InvitationRequest.self, KeyProofRequest.self, LoginRequest.self, MPinActivateRequest.self,
        MPinActivationRequest.self, MPinLinkRequest.self, MPinLoginRequest.self, MPinPolicyChangeRequest.self,
        NewSecurityQuestion.self, PassphraseRequest.self, PolicyChangeRequest.self, ProofRequest.self,
        ProofRequest.Question.self, RegistrationRequest.self, ResourceTokenRequest.self, RoleRequest.self,
        SessionRefreshRequest.self, StatusDecisionRequest.self,
    ]

    static let responses: [any ResponseObject.Type] = [
        CompanyResponse.self, CredentialRulesResponse.self, DeviceResponse.self, DeviceResponse.Authorizer.self,
        DeviceResponse.Presenter.self, DevicesResponse.self, EmailVerificationResponse.self, EmployeeKeyResponse.self,
        EmployeeResponse.self, EmployeeSummaryResponse.self, EvaluationsResponse.self,
        EvaluationsResponse.Evaluation.self, EventResponse.self, FlowStartedResponse.self, InvitationResponse.self,
        LinkedCompanyResponse.self,
        MPinAuthenticationResponse.self, MPinIdentityResponse.self, MPinPolicyResponse.self,
        MPinRegistrationResponse.self, MPinSignatureResponse.self, MeResponse.self, MeResponse.App.self,
        MeResponse.Session.self, NoticeResponse.self, OpenSessionResponse.self, OpeningResponse.self,
        PendingAuthorizationResponse.self, PolicyResponse.self, Problem.self, ProblemPlace.self,
        QuestionListResponse.self, QuestionListResponse.Item.self, QuestionResponse.self, RecoveryResponse.self,
        RecoveryResponse.Subject.self, ResourceTokenResponse.self, SecurityAdminResponse.self, SessionResponse.self,
        SetUpPlanResponse.self, SetUpPlanResponse.Approvals.self, SetUpPlanResponse.Previous.self,
        SetUpPlanResponse.Scrypt.self, TokenIntrospectionResponse.Claims.self, TokenMetadataResponse.self,
    ]

    /// Members of which only those of one alternative may be present.
    static let alternatives = [
        "CredentialsChangeRequest": [["currentAnswers"], ["currentPassphrase"]],
        "NewSecurityQuestion": [["question"], ["number", "version"]],
        "ProblemPlace": [["pointer"], ["parameter"], ["header"]],
        "ProofRequest.Question": [["question"], ["number", "version"]],
    ]

    /// The property that holds a member; most have its name.
    static func property(of member: String, in type: any WireObject.Type) -> String {
        properties[type.tableName]?[member] ?? member
    }

    private static let properties = [
        "CredentialsChangeRequest": ["currentAnswers": "current", "currentPassphrase": "current"],
        "NewSecurityQuestion": ["question": "choice", "number": "choice", "version": "choice"],
        "Problem": ["error_description": "description"],
        "ProblemPlace": ["pointer": "place", "parameter": "place", "header": "place"],
        "ProofRequest.Question": ["question": "choice", "number": "choice", "version": "choice"],
        "TokenIntrospectionResponse.Claims": [
            "iss": "issuer", "sub": "subject", "aud": "audience", "exp": "expiresAt", "iat": "issuedAt", "jti": "id",
            "client_id": "clientID", "sid": "sessionID", "tenant": "tenantID", "amr": "methods",
            "auth_time": "authenticatedAt",
        ],
        "TokenMetadataResponse": [
            "jwks_uri": "jwksURI", "introspection_endpoint": "introspectionEndpoint",
            "revocation_endpoint": "revocationEndpoint", "service_documentation": "serviceDocumentation",
        ],
    ]
}

/// What a test looks up of a table whose object's type it does not know.
extension WireObject {
    static var tableName: String { members.name }
    static var rows: [MemberDescription] { members.members }
}

/// A part whose members stand beside those of the object itself.
protocol InlinePart {}

extension StatementSignature: InlinePart {}
extension ProofRequest.Credentials: InlinePart {}
extension OAuthRefusal: InlinePart {}
