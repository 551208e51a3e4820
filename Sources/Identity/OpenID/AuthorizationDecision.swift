package import Canonical

/// What happens next with an authorization request.
package enum AuthorizationDecision: Sendable, Hashable {
    /// A page logs the person in.
    case logIn
    /// A page lets the person choose an account, or log in to another one.
    case chooseAccount
    /// A page asks whether the client may learn what it requests.
    case askConsent
    /// A page offers the mail that confirms the address that the client asks for.
    case offerAddress
    /// The client gets a code.
    case answer
    /// The client is told why not.
    case refuse(AuthorizationError)
}

/// Everything that the decision about an authorization request depends on.
package struct AuthorizationSituation: Sendable, Equatable {
    /// A person who is logged in in this browser.
    package struct Person: Sendable, Equatable {
        /// The account.
        package var employee: EmployeeID
        package var tenant: TenantID
        /// When the person logged in.
        package var authenticatedAt: Timestamp
        /// Why the client takes no people of the tenant; `nil` if it does and the tenant links it.
        package var refusal: OpenIDCause?
        /// The scopes that the person consented to before; `nil` without a consent in force.
        package var consented: Set<OpenIDScope>?
        /// Whether the person withdrew what the client had, and has not consented since.
        package var hasWithdrawn: Bool

        package init(
            employee: EmployeeID, tenant: TenantID, authenticatedAt: Timestamp, refusal: OpenIDCause?,
            consented: Set<OpenIDScope>? = nil, hasWithdrawn: Bool = false
        ) {
            self.employee = employee
            self.tenant = tenant
            self.authenticatedAt = authenticatedAt
            self.refusal = refusal
            self.consented = consented
            self.hasWithdrawn = hasWithdrawn
        }
    }

    /// What the person answered on the pages of this request.
    package struct Answers: Sendable, Equatable {
        package var chosen: EmployeeID?
        /// Whether the question for consent was answered, and how, by that account.
        package var consent: (by: EmployeeID, isGiven: Bool)?
        /// The account that goes on without a confirmed address.
        package var withoutAddress: EmployeeID?

        package init(
            chosen: EmployeeID? = nil, consent: (by: EmployeeID, isGiven: Bool)? = nil,
            withoutAddress: EmployeeID? = nil
        ) {
            self.chosen = chosen
            self.consent = consent
            self.withoutAddress = withoutAddress
        }

        /// Whether both are the same answers.
        package static func == (left: Answers, right: Answers) -> Bool {
            left.chosen == right.chosen && left.consent?.by == right.consent?.by
                && left.consent?.isGiven == right.consent?.isGiven && left.withoutAddress == right.withoutAddress
        }
    }

    /// When the request arrived first.
    package var arrivedAt: Timestamp
    package var time: Timestamp
    /// The person of the browser session; `nil` without one.
    package var person: Person?
    /// The tenant that the request names; `nil` if it names none.
    package var tenant: TenantID?
    /// The subject of the request's `id_token_hint`; `nil` without a hint.
    package var hinted: Hint?
    /// When the client asks for consent.
    package var consentMode: ConsentMode
    /// What the person answered on the pages.
    package var answers: Answers
    /// Whether the client asks for the person's address, and a mail could confirm it.
    package var isAddressOpen = false

    /// What an `id_token_hint` says.
    package enum Hint: Sendable, Hashable {
        /// An ID token of this service for this client and this person, however old.
        case employee(EmployeeID)
        /// Something else.
        case invalid
    }

    package init(
        arrivedAt: Timestamp, time: Timestamp, person: Person? = nil, tenant: TenantID? = nil, hinted: Hint? = nil,
        consentMode: ConsentMode = .never, answers: Answers = Answers()
    ) {
        self.arrivedAt = arrivedAt
        self.time = time
        self.person = person
        self.tenant = tenant
        self.hinted = hinted
        self.consentMode = consentMode
        self.answers = answers
    }
}

extension AuthorizationSituation {
    /// Whether the person has seen a page of the request: that of the log-in, or one that was answered.
    package var hasShownPage: Bool {
        person.map { $0.authenticatedAt >= arrivedAt } == true || answers.chosen != nil || answers.consent != nil
    }

    /// Why the account of a person is none for the request; `nil` if it is.
    package func refusal(of person: Person) -> OpenIDCause? {
        if case .employee(let expected)? = hinted, expected != person.employee { return .otherPerson }
        if let tenant, tenant != person.tenant { return .otherCompany }
        return person.refusal
    }
}

extension AuthorizationRequest {
    /// Decides what happens next.
    package func decide(_ situation: AuthorizationSituation) -> AuthorizationDecision {
        if situation.hinted == .invalid {
            let words = "id_token_hint is no ID token of this client"
            return .refuse(AuthorizationError(.invalidRequest, words, .hintInvalid))
        }
        let isSilent = prompts.contains(.none)
        func asking(
            _ page: AuthorizationDecision, _ code: AuthorizationError.Code, _ words: String, _ cause: OpenIDCause
        ) -> AuthorizationDecision {
            isSilent ? .refuse(AuthorizationError(code, words, cause)) : page
        }
        guard let person = situation.person else {
            return asking(.logIn, .loginRequired, "nobody is logged in in this browser", .notLoggedIn)
        }
        if needsLogIn(person, situation) {
            return asking(.logIn, .loginRequired, "the log-in is older than the request permits", .logInTooOld)
        }
        let refusal = situation.refusal(of: person)
        if refusal == .otherPerson {
            return asking(.chooseAccount, .loginRequired, "another person is logged in in this browser", .otherPerson)
        }
        if prompts.contains(.selectAccount), situation.answers.chosen != person.employee { return .chooseAccount }
        if let refusal {
            let words = "the account that is logged in may not use the client"
            return asking(.chooseAccount, .accountSelectionRequired, words, refusal)
        }
        let decision = consent(person, situation) {
            asking(.askConsent, .consentRequired, "the person has not consented yet", .consentMissing)
        }
        return decision == .answer && !isSilent && offersAddress(person, situation) ? .offerAddress : decision
    }

    /// Whether the mail that confirms the address is offered: where the person sees a page of this request anyway. A
    /// log-in without a page stays one.
    private func offersAddress(
        _ person: AuthorizationSituation.Person, _ situation: AuthorizationSituation
    ) -> Bool {
        situation.isAddressOpen && situation.hasShownPage && situation.answers.withoutAddress != person.employee
    }

    /// Whether the log-in of the session does not do for this request. A log-in after the request arrived always does.
    private func needsLogIn(_ person: AuthorizationSituation.Person, _ situation: AuthorizationSituation) -> Bool {
        guard person.authenticatedAt < situation.arrivedAt else { return false }
        if prompts.contains(.login) { return true }
        guard let maximumAge else { return false }
        let age = (situation.time.microseconds - person.authenticatedAt.microseconds) / 1_000_000
        return maximumAge == 0 || age > maximumAge
    }

    private func consent(
        _ person: AuthorizationSituation.Person, _ situation: AuthorizationSituation,
        _ ask: () -> AuthorizationDecision
    ) -> AuthorizationDecision {
        if let consent = situation.answers.consent, consent.by == person.employee {
            return consent.isGiven
                ? .answer : .refuse(AuthorizationError(.accessDenied, "the person did not consent", .consentRefused))
        }
        if prompts.contains(.consent) { return ask() }
        switch situation.consentMode {
        case .never: return person.hasWithdrawn ? ask() : .answer
        case .always: return ask()
        case .once: return person.consented.map(scopes.isSubset) ?? false ? .answer : ask()
        }
    }
}
