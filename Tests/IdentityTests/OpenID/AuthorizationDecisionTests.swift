import Canonical
import Foundation
@testable import Identity
import Testing

@Suite struct `Decision about an authorization request` {
    private typealias Requests = `Authorization request`
    private static let employee: EmployeeID = Sample.id(1), other: EmployeeID = Sample.id(2)
    private static let tenant: TenantID = Sample.id(10)
    private static let arrival = Sample.start

    private func person(
        loggedIn seconds: Int = -60, isTaken: Bool = true, consented: Set<OpenIDScope>? = nil,
        hasWithdrawn: Bool = false
    ) -> AuthorizationSituation.Person {
        AuthorizationSituation.Person(
            employee: Self.employee, tenant: Self.tenant, authenticatedAt: Self.arrival.adding(.seconds(seconds)),
            refusal: isTaken ? nil : .companyNotLinked, consented: consented, hasWithdrawn: hasWithdrawn)
    }

    private func decide(
        _ changes: [(String, String?)] = [], _ person: AuthorizationSituation.Person?,
        _ mode: ConsentMode = .never, after seconds: Int = 5, tenant: TenantID? = nil,
        hint: AuthorizationSituation.Hint? = nil,
        answers: AuthorizationSituation.Answers = AuthorizationSituation.Answers()
    ) throws -> AuthorizationDecision {
        try Requests.read(changes).decide(
            AuthorizationSituation(
                arrivedAt: Self.arrival, time: Self.arrival.adding(.seconds(seconds)), person: person, tenant: tenant,
                hinted: hint, consentMode: mode, answers: answers))
    }

    private func code(_ decision: AuthorizationDecision) -> AuthorizationError.Code? {
        guard case .refuse(let error) = decision else { return nil }
        return error.code
    }

    @Test func `a person without a session logs in, one with a session is answered`() throws {
        #expect(try decide([], nil) == .logIn)
        #expect(try decide([], person()) == .answer)
    }

    @Test func `an account that is none for the client has one cause, and a client that asks in silence one sentence`()
        throws
    {
        func registration(_ tenants: [TenantID]) throws -> ClientRegistration {
            try ClientRegistration(redirects: [try ClientURI("https://app.example.com/callback")], tenants: tenants)
        }
        var state = Tenant.State()
        let client: AppID = Sample.id(5)
        #expect(try registration([]).refusal(of: Self.tenant, state, as: client) == .companyNotTaken)
        #expect(try registration([Self.tenant]).refusal(of: Self.tenant, state, as: client) == .companyNotLinked)
        state.links[client] = RoleSet(.creation)
        #expect(try registration([Self.tenant]).refusal(of: Self.tenant, state, as: client) == .linkWithoutAccess)
        state.links[client] = RoleSet(.access)
        #expect(try registration([Self.tenant]).refusal(of: Self.tenant, state, as: client) == nil)

        var somebody = person(), words: Set<String> = []
        for refusal in [OpenIDCause.companyNotTaken, .companyNotLinked, .otherCompany] {
            somebody.refusal = refusal == .otherCompany ? nil : refusal
            let asked: TenantID? = refusal == .otherCompany ? Sample.id(11) : nil
            guard case .refuse(let error) = try decide([("prompt", "none")], somebody, tenant: asked) else {
                Issue.record("not refused")
                return
            }
            #expect(error.cause == refusal)
            words.insert(error.code.rawValue + error.description)
        }
        #expect(words.count == 1)
    }

    @Test func `every cause is a name that metrics and logs take as it is, and the page about the log has it`() throws {
        let page = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/run.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        for cause in OpenIDCause.allCases {
            #expect(cause.name.wholeMatch(of: /[a-z_]+/) != nil && text.contains("`\(cause.name)`"), "\(cause)")
        }
    }

    @Test func `oidcc-prompt-none-not-logged-in is an error at the client`() throws {
        #expect(code(try decide([("prompt", "none")], nil)) == .loginRequired)
    }

    @Test func `oidcc-prompt-none-logged-in is answered in silence`() throws {
        #expect(try decide([("prompt", "none")], person()) == .answer)
    }

    @Test func `oidcc-prompt-login logs in again, once`() throws {
        #expect(try decide([("prompt", "login")], person()) == .logIn)
        #expect(try decide([("prompt", "login")], person(loggedIn: 2)) == .answer)
    }

    @Test func `oidcc-max-age-1 logs in again, oidcc-max-age-10000 does not`() throws {
        #expect(try decide([("max_age", "1")], person()) == .logIn)
        #expect(try decide([("max_age", "0")], person(loggedIn: -1), after: 0) == .logIn)
        #expect(try decide([("max_age", "10000")], person()) == .answer)
        #expect(try decide([("max_age", "65")], person()) == .answer, "65 seconds are not more than 65")
        #expect(try decide([("max_age", "64")], person()) == .logIn)
        // The person took long on the pages of the client; the log-in belongs to this request all the same.
        #expect(try decide([("max_age", "1")], person(loggedIn: 2), after: 500) == .answer)
        #expect(code(try decide([("max_age", "1"), ("prompt", "none")], person())) == .loginRequired)
    }

    @Test func `oidcc-id-token-hint of the same person succeeds, of another one it does not`() throws {
        let silent = [("prompt", "none")] as [(String, String?)]
        #expect(try decide(silent, person(), hint: .employee(Self.employee)) == .answer)
        #expect(code(try decide(silent, person(), hint: .employee(Self.other))) == .loginRequired)
        #expect(try decide([], person(), hint: .employee(Self.other)) == .chooseAccount)
        #expect(code(try decide([], person(), hint: .invalid)) == .invalidRequest)
        #expect(code(try decide([], nil, hint: .invalid)) == .invalidRequest)
    }

    @Test func `an account is chosen if the client asks for it, and only that account counts`() throws {
        let asks = [("prompt", "select_account")] as [(String, String?)]
        #expect(try decide(asks, person()) == .chooseAccount)
        #expect(try decide(asks, person(), answers: .init(chosen: Self.other)) == .chooseAccount)
        #expect(try decide(asks, person(), answers: .init(chosen: Self.employee)) == .answer)
    }

    @Test func `a person whom the client does not take, or of another tenant than the named one, chooses again`() throws
    {
        #expect(try decide([], person(isTaken: false)) == .chooseAccount)
        #expect(try decide([], person(), tenant: Sample.id(11)) == .chooseAccount)
        #expect(try decide([], person(), tenant: Self.tenant) == .answer)
        #expect(code(try decide([("prompt", "none")], person(isTaken: false))) == .accountSelectionRequired)
        // Nothing that was answered on the pages replaces the client's list and the tenant's link.
        let answers = AuthorizationSituation.Answers(
            chosen: Self.employee, consent: (by: Self.employee, isGiven: true))
        #expect(try decide([], person(isTaken: false), answers: answers) == .chooseAccount)
    }

    @Test func `consent is asked for as the client's mode says`() throws {
        let asked = [("scope", "openid email")] as [(String, String?)]
        #expect(try decide(asked, person(), .never) == .answer)
        #expect(try decide(asked, person(), .once) == .askConsent)
        #expect(try decide(asked, person(consented: [.openid]), .once) == .askConsent)
        #expect(try decide(asked, person(consented: [.openid, .email, .groups]), .once) == .answer)
        #expect(try decide(asked, person(consented: [.openid, .email]), .always) == .askConsent)
        let prompted = asked + [("prompt", "consent")]
        #expect(try decide(prompted, person(consented: [.openid, .email]), .once) == .askConsent)
        #expect(try decide(prompted, person(), .never) == .askConsent)
        #expect(code(try decide(asked + [("prompt", "none")], person(), .once)) == .consentRequired)
    }

    @Test func `a client that asks nobody asks after a withdrawal, until the person consents`() throws {
        #expect(try decide([], person(hasWithdrawn: true), .never) == .askConsent)
        #expect(code(try decide([("prompt", "none")], person(hasWithdrawn: true), .never)) == .consentRequired)
        #expect(try decide([], person(consented: [.openid]), .never) == .answer)
    }

    @Test func `only a public client without https asks each time, whatever is registered`() throws {
        func mode(_ uri: String, isPublic: Bool, _ registered: ConsentMode) throws -> ConsentMode {
            let redirect = try ClientURI(uri)
            return try ClientRegistration(redirects: [redirect], isPublic: isPublic, consent: registered)
                .consent(at: redirect)
        }
        for registered in ConsentMode.allCases {
            for uri in ["http://127.0.0.1/cb", "http://[::1]:9/cb", "http://localhost:1/", "com.example.app:/cb"] {
                #expect(try mode(uri, isPublic: true, registered) == .always, "\(uri)")
                #expect(try mode(uri, isPublic: false, registered) == registered, "\(uri)")
            }
            #expect(try mode("https://spa.example.com/", isPublic: true, registered) == registered)
        }
        #expect(code(try decide([("prompt", "none")], person(consented: [.openid]), .always)) == .consentRequired)
    }

    @Test func `the mail for an address is offered where a page was shown anyway, and never in silence`() throws {
        func decide(
            _ changes: [(String, String?)] = [], loggedIn seconds: Int, isOpen: Bool = true,
            answers: AuthorizationSituation.Answers = AuthorizationSituation.Answers(), _ mode: ConsentMode = .never
        ) throws -> AuthorizationDecision {
            var situation = AuthorizationSituation(
                arrivedAt: Self.arrival, time: Self.arrival.adding(.seconds(30)), person: person(loggedIn: seconds),
                consentMode: mode, answers: answers)
            situation.isAddressOpen = isOpen
            return try Requests.read(changes).decide(situation)
        }
        #expect(try decide(loggedIn: 10) == .offerAddress)
        #expect(try decide(loggedIn: 10, isOpen: false) == .answer)
        #expect(try decide(loggedIn: -60) == .answer, "a log-in without a page stays one")
        #expect(try decide([("prompt", "none")], loggedIn: 10) == .answer)
        #expect(try decide(loggedIn: 10, .always) == .askConsent, "first the consent")
        let consented = AuthorizationSituation.Answers(consent: (by: Self.employee, isGiven: true))
        #expect(try decide(loggedIn: -60, answers: consented, .always) == .offerAddress)
        let denied = AuthorizationSituation.Answers(consent: (by: Self.employee, isGiven: false))
        #expect(code(try decide(loggedIn: 10, answers: denied, .always)) == .accessDenied)
        let without = AuthorizationSituation.Answers(withoutAddress: Self.employee)
        #expect(try decide(loggedIn: 10, answers: without) == .answer)
        let others = AuthorizationSituation.Answers(withoutAddress: Self.other)
        #expect(try decide(loggedIn: 10, answers: others) == .offerAddress)
    }

    @Test func `an answer to the question for consent counts for the person who gave it`() throws {
        func answered(_ by: EmployeeID, _ isGiven: Bool) -> AuthorizationSituation.Answers {
            AuthorizationSituation.Answers(consent: (by: by, isGiven: isGiven))
        }
        #expect(try decide([], person(), .always, answers: answered(Self.employee, true)) == .answer)
        #expect(code(try decide([], person(), .always, answers: answered(Self.employee, false))) == .accessDenied)
        #expect(try decide([], person(), .always, answers: answered(Self.other, true)) == .askConsent)
    }

    @Test func `prompt=none never leads to a page`() throws {
        for person in [nil, person(), person(isTaken: false), person(loggedIn: -100_000)] {
            for mode in ConsentMode.allCases {
                for hint in [nil, .employee(Self.employee), .employee(Self.other), .invalid]
                    as [AuthorizationSituation.Hint?]
                {
                    for age in [nil, "0", "10"] {
                        let decision = try decide(
                            [("prompt", "none"), ("max_age", age)], person, mode, tenant: Self.tenant, hint: hint)
                        #expect(![.logIn, .chooseAccount, .askConsent].contains(decision), "\(decision)")
                    }
                }
            }
        }
    }
}
