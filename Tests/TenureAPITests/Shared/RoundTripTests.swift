import Canonical
import ErrorCodes
import FoundationEssentials
import TenureAPI
import Testing

@Suite struct RoundTripTests {
    private static let time = Timestamp(microseconds: 1_800_000_000_123_456)
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 64, 8, 128, 10, 11, 12, 13, 14, 15, 16))
    private static let summary = EmployeeSummaryResponse(
        employeeId: id, tenantId: id, companyName: "A", companyEmployeeId: "7", status: "active", role: "admin")
    private static let key = EmployeeKeyResponse(
        fingerprint: "ab", employeePublicKey: [4, 255], state: "pending", presentedAt: time)

    private func check<Value: JSONConvertible & Equatable>(_ value: Value) throws {
        #expect(try Value(bytes: value.bytes) == value)
        #expect(try CanonicalJSON.parse(value.bytes) == value.json)
    }

    @Test func `requests round-trip`() throws {
        let signed = StatementSignature(statement: [1], signature: [2, 3])
        try check(
            RegistrationRequest(
                companyName: "A", companyEmployeeId: "7", email: "e", isCompanyOwnedEmail: true,
                employeePublicKey: [1, 2, 3]))
        for intent in RegistrationRequest.Intent.allCases {
            try check(
                RegistrationRequest(
                    companyName: "A", companyEmployeeId: "7", email: "e", employeePublicKey: [4], intent: intent))
        }
        try check(LoginRequest(companyName: "A", companyEmployeeId: "7", employeePublicKey: []))
        try check(KeyProofRequest(keyProof: [9]))
        let questions = [NewSecurityQuestion(question: "q", answer: "a")]
        try check(CredentialsRequest(securityQuestions: questions))
        try check(
            CredentialsRequest(securityQuestions: questions, passphrase: "p", questionsWithPassphrase: true))
        let listed = [
            NewSecurityQuestion(.listed(number: 7), answer: "a"),
            NewSecurityQuestion(.listed(number: 7, version: 1), answer: "a"),
        ]
        try check(CredentialsRequest(securityQuestions: listed))
        try check(AnswersRequest(answers: [.init(questionId: "i", answer: "a")]))
        try check(PassphraseRequest(passphrase: "\u{1F3E2} e\u{301}"))
        try check(EvaluationsRequest(elements: [.init(slot: 255, element: [2, 0])]))
        try check(ProofRequest(userSignature: [1]))
        try check(
            ProofRequest(
                userSignature: [1], credentials: .init(record: [0, 1], questions: [.init(question: "q", salt: [7])])))
        try check(
            ProofRequest(
                userSignature: [1],
                credentials: .init(record: [0], questions: [.init(.listed(number: 7, version: 1), salt: [7])])))
        let answer = PasskeyAnswer(
            credentialId: [0xFF], authenticatorData: [1, 2], clientDataJSON: [123, 125], signature: [5], userHandle: [6]
        )
        try check(PasskeyLoginRequest(challenge: [7, 8, 9], answer: answer))
        try check(
            PasskeyRequest(
                challenge: [7], creation: NewPasskey(authenticatorData: [1], clientDataJSON: [2]),
                answer: PasskeyAnswer(
                    credentialId: [1], authenticatorData: [1], clientDataJSON: [2], signature: [3])))
        try check(SessionRefreshRequest(refreshToken: "t"))
        try check(DecisionRequest(signed: signed))
        try check(StatusDecisionRequest())
        try check(StatusDecisionRequest(note: "n"))
        try check(EmailReclaimRequest(email: "e", reason: "r"))
        try check(
            PolicyChangeRequest(keyAuthorization: .securityAdmin, approval: .admin, blindOnly: false, signed: signed))
        let reasoned = DecisionRequest(reason: "a.b", signed: signed)
        #expect(try DecisionRequest(jsonWithReason: reasoned.json) == reasoned)
    }

    @Test func `responses round-trip`() throws {
        try check(FlowStartedResponse(flow: "f", challenge: [1], subjectSalt: [3], expiresAt: Self.time))
        let session = SessionResponse(accessToken: "a", expiresAt: Self.time, refreshToken: "r")
        let question = QuestionResponse(questionId: "i", question: "q")
        try check(QuestionResponse(questionId: "i", question: "q", number: 7, version: 1))
        try check(
            QuestionListResponse(
                version: 1, locale: "de", locales: ["en", "de"], items: [.init(number: 1, question: "q")]))
        let rules = CredentialRulesResponse(
            questions: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: true, blindOnly: false)
        try check(FlowOutcomeResponse.success(session, Self.summary, position: 1))
        try check(FlowOutcomeResponse.success(session, Self.summary, position: nil))
        var warned = session
        warned.notices = [
            NoticeResponse(
                type: "recovery.opened", openedAt: Self.time, openedBy: "founder", availableAt: Self.time,
                cancelBefore: Self.time)
        ]
        try check(FlowOutcomeResponse.success(warned, Self.summary, position: 1))
        try check(warned)
        try check(FlowOutcomeResponse.authorizationPending(employeePublicKey: [4], fingerprint: "f", position: 2))
        try check(FlowOutcomeResponse.setCredentials(challenge: [1], rules: rules))
        try check(FlowOutcomeResponse.validateAnswers(challenge: [1], questions: [question]))
        try check(FlowOutcomeResponse.validatePassphrase(challenge: [1], questions: nil))
        try check(FlowOutcomeResponse.validatePassphrase(challenge: [1], questions: [question]))
        let opening = OpeningResponse(context: [1, 2], recordHash: [3])
        try check(FlowOutcomeResponse.validateAnswers(challenge: [1], questions: [question], opening: opening))
        try check(FlowOutcomeResponse.validatePassphrase(challenge: [1], questions: nil, opening: opening))
        let plan = SetUpPlanResponse(
            credentialId: Self.id, userId: Self.id, oprfAnswers: [2], oprfPassphrase: [3],
            kdf: .init(log2N: 15, r: 8, p: 1))
        try check(FlowOutcomeResponse.setCredentials(challenge: [1], rules: rules, setUp: plan))
        var recovered = plan
        recovered.previous = .init(recordHash: [5], generation: 2)
        recovered.approvals = .init(opened: [6], confirmed: [7])
        try check(FlowOutcomeResponse.setCredentials(challenge: [1], rules: rules, setUp: recovered))
        try check(
            RecoveryResponse(
                employee: Self.summary, subject: .init(tenantId: UUID(), userId: UUID(), employeeId: UUID()),
                fingerprint: "f", state: "opened", requestedAt: Self.time, expiresAt: Self.time, openedBy: "founder",
                availableAt: Self.time, soleAdmin: true))
        try check(
            EvaluationsResponse(evaluations: [
                .init(slot: 0, evaluation: [1], sealedCopy: [2]), .init(slot: 255, evaluation: [3]),
            ]))
        try check(DecisionResponse.done(nil, position: nil))
        try check(DecisionResponse.done(Self.summary, position: 4))
        try check(DecisionResponse.signatureRequired(statement: [0, 255]))
        try check(
            CompanyResponse(tenantId: Self.id, companyName: "A", foundedAt: Self.time, employees: 0, position: 1))
        try check(LinkedCompanyResponse(tenantId: Self.id, companyName: "A", foundedAt: Self.time))
        try check(
            PageResponse(
                items: [
                    EmployeeResponse(
                        employeeId: Self.id, tenantId: Self.id, companyName: "A", companyEmployeeId: nil,
                        status: "cancelled", role: "employee", email: nil,
                        isCompanyOwnedEmail: false, registeredAt: Self.time, keys: [Self.key])
                ], next: 7))
        try check(PageResponse<EmployeeResponse>(items: [], since: Self.time))
        try check(
            MPinIdentityResponse(
                identityId: Self.id, userId: "u", deviceName: "d", status: "blocked", verification: "email",
                startedAt: Self.time, expiresAt: Self.time, companyEmployeeId: "7", failures: 3, endReason: "failures"))
        try check(
            MPinIdentityResponse(
                identityId: Self.id, status: "started", verification: "application", startedAt: Self.time, failures: 0))
        try check(SecurityAdminResponse(employee: Self.summary, eventId: Self.id, position: 1, since: Self.time))
        try check(
            PendingAuthorizationResponse(
                employee: Self.summary, key: Self.key, expiresAt: Self.time, position: 9, statement: [1]))
        try check(
            PolicyResponse(
                keyAuthorization: "application", approval: "admin", blindOnly: true, questionsWithPassphrase: false,
                version: 3))
        try check(
            EventResponse(
                position: 1, eventId: Self.id, type: "T", stream: "s", streamVersion: 1, time: Self.time,
                actor: Self.id, app: nil, requestId: "r", data: ["a": [1, true, "x"]]))
        try check(
            OpenSessionResponse(
                sessionId: Self.id, fingerprint: "f", createdAt: Self.time, expiresAt: Self.time, isCurrent: false))
        try check(
            GrantResponse(
                grantId: Self.id, clientId: Self.id, clientName: "c", scopes: ["openid"], openedAt: Self.time,
                usedAt: Self.time, expiresAt: Self.time, isLasting: true))
        try check(
            DeviceResponse(
                fingerprint: "f", employeePublicKey: [4, 1], state: "authorized", isCurrent: true,
                presentedAt: Self.time, authorizedAt: Self.time, endedAt: nil, lastUsedAt: Self.time,
                authorizedBy: .init(kind: "employee", companyEmployeeId: "7", appId: Self.id)))
        let notice = NoticeResponse(
            type: "recovery.opened", openedAt: Self.time, openedBy: "1", availableAt: Self.time,
            cancelBefore: Self.time)
        try check(notice)
        try check(NoticeResponse(type: "another"))
        try check(DevicesResponse(items: [], notices: [notice]))
        try check(
            PasskeyOptionsResponse(
                rpId: "id.example", challenge: [1], digest: [2], expiresAt: Self.time, userHandle: [3],
                credentialIds: [[4], [5, 6]]))
        try check(PasskeyOptionsResponse(rpId: "id.example", challenge: [1], digest: [2], expiresAt: Self.time))
        try check(SessionResponse(accessToken: "a", expiresAt: Self.time, refreshToken: "r", notices: [notice]))
        try check(
            MeResponse(
                tenantId: Self.id, employeeId: Self.id, companyName: "c", companyEmployeeId: "7", status: "active",
                role: "admin", emailVerified: true,
                session: .init(
                    sessionId: Self.id, fingerprint: "f", role: "employee", createdAt: Self.time, expiresAt: Self.time),
                app: .init(appId: Self.id, name: "app"), notices: [notice]))
        try check(
            DeviceResponse(
                fingerprint: "f", employeePublicKey: [4], state: "pending", isCurrent: false, presentedAt: Self.time))
    }

    @Test func `answers about the verification of an address round-trip`() throws {
        for outcome in EmailVerificationResponse.Outcome.allCases {
            try check(EmailVerificationResponse(outcome: outcome))
        }
    }

    @Test func `problem documents round-trip`() throws {
        for code in ErrorCode.all {
            let places: [ProblemPlace] = [
                .init(.pointer("/a"), "p"), .init(.parameter("b"), "q"), .init(.header("c"), "r"), .init(.none, "s"),
            ]
            try check(Problem(code, requestId: "r", errors: places, challenge: [1, 2]))
            try check(Problem(code, requestId: "r"))
        }
    }

    @Test func `codes are unique, lower case and found by their raw value`() {
        #expect(Set(ErrorCode.all).count == ErrorCode.all.count)
        for code in ErrorCode.all {
            #expect(code.rawValue.wholeMatch(of: /[a-z]+\.[a-z_]+/) != nil)
            #expect((400...503).contains(code.status))
            #expect(ErrorCode(rawValue: code.rawValue)?.status == code.status)
        }
        #expect(ErrorCode(rawValue: "nothing.known") == nil)
    }

    @Test func `unknown members are ignored in a response and refused in a request`() throws {
        let session = #"{"accessToken":"a","expiresAt":"2027-01-15T08:00:00.000000Z","refreshToken":"r","new":[1]}"#
        #expect(try SessionResponse(bytes: session.utf8).accessToken == "a")
        #expect {
            try SessionRefreshRequest(bytes: #"{"refreshToken":"r","new":1}"#.utf8)
        } throws: {
            ($0 as? JSONError)?.pointer == "/new"
        }
    }

    @Test func `an unknown outcome is refused`() {
        #expect(throws: JSONError.self) { try FlowOutcomeResponse(bytes: #"{"outcome":"later"}"#.utf8) }
        #expect(throws: JSONError.self) { try DecisionResponse(bytes: #"{"outcome":"success"}"#.utf8) }
    }

    @Test func `secrets are not printed`() {
        let values: [any Sendable] = [
            PassphraseRequest(passphrase: "hunter2"), SessionRefreshRequest(refreshToken: "hunter2"),
            AnswersRequest(answers: [.init(questionId: "i", answer: "hunter2")]),
            CredentialsRequest(
                securityQuestions: [.init(question: "q", answer: "hunter2")], passphrase: "hunter2"),
            SessionResponse(accessToken: "hunter2", expiresAt: Self.time, refreshToken: "hunter2"),
            [NewSecurityQuestion(question: "q", answer: "hunter2")],
        ]
        for value in values { #expect(!"\(value)".contains("hunter2")) }
    }
}
