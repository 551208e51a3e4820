import Canonical
@testable import Identity
import Testing

/// Each event that ends a grant, before and after it, from the folds alone.
@Suite struct `What a grant rests on` {
    private static let employee: EmployeeID = Sample.id(1), client: AppID = Sample.id(2), pages: AppID = Sample.id(3)
    private static let key = Sample.key(4)

    /// What happens to an account with a device key and two linked apps, by positions.
    private func ground(
        _ ofEmployee: [(Int64, EmployeeEvent)] = [], _ ofTenant: [(Int64, TenantEvent)] = [],
        withdrawnAt: Int64? = nil, credentials: GrantGround.Moment? = nil
    ) -> GrantGround {
        let account: [(Int64, EmployeeEvent)] = [
            (
                1,
                .registered(
                    EmployeeRegistered(
                        employeeID: Self.employee, userID: Sample.id(5), companyName: nil,
                        companyEmployeeID: Personal(Self.employee, "a"), email: Personal(Self.employee, "a@b.example"),
                        isCompanyOwnedEmail: false, approved: true))
            ),
            (
                2,
                .keyPresented(
                    EmployeeKeyPresented(employeeID: Self.employee, key: Self.key, flow: Sample.id(6), first: true))
            ),
            (3, .keyAuthorized(EmployeeKeyAuthorized(employeeID: Self.employee, key: Self.key, by: .policy))),
        ]
        let links: [(Int64, TenantEvent)] = [Self.client, Self.pages].map {
            (4, .appLinked(AppLinked(appID: $0, by: .operator(nil))))
        }
        let consents: [Recorded<ConsentEvent>] =
            withdrawnAt.map {
                let event = ConsentWithdrawn(employeeID: Self.employee, clientID: Self.client)
                return [Sample.recorded(.withdrawn(event), position: $0)]
            } ?? []
        return GrantGround(
            employee: Employee.fold((account + ofEmployee).map { Sample.recorded($0.1, position: $0.0) }),
            tenant: Tenant.fold((links + ofTenant).map { Sample.recorded($0.1, position: $0.0) }),
            consent: Consent.fold(consents), credentials: credentials)
    }

    private func session(
        at position: Int64 = 10, seconds: Int = 0, request: String? = "log-in", end: SessionEnd? = nil
    ) -> GrantGround.Session {
        GrantGround.Session(
            SessionOpened(
                sessionID: Sample.id(7), employeeID: Self.employee, fingerprint: KeyFingerprint(of: Self.key),
                expiresAt: Sample.start.adding(.seconds(3_600)), appID: Self.pages, secretID: Sample.id(8)),
            at: GrantGround.Moment(
                position: position, time: Sample.start.adding(.seconds(seconds)), requestID: request), end: end)
    }

    private func grant(at position: Int64 = 12, end: GrantEnd? = nil) -> GrantGround.Grant {
        GrantGround.Grant(
            GrantOpened(
                grantID: Sample.id(9), sessionID: Sample.id(7), employeeID: Self.employee, clientID: Self.client,
                scopes: [.openid, .offlineAccess], expiresAt: Sample.start.adding(.seconds(86_400))),
            at: GrantGround.Moment(position: position, time: Sample.start), end: end)
    }

    private func goesOn(
        _ ground: GrantGround, _ grant: GrantGround.Grant? = nil, _ session: GrantGround.Session? = nil,
        after seconds: Int = 60
    ) -> Bool {
        ground.carries(
            grant ?? self.grant(), of: session ?? self.session(), at: Sample.start.adding(.seconds(seconds)))
    }

    @Test func `carries a grant until its own end, and after an ordinary end of its session`() {
        #expect(goesOn(ground()))
        #expect(!goesOn(ground(), after: 86_400))
        #expect(!goesOn(ground(), grant(end: .endedByOwner)))
        #expect(goesOn(ground(), nil, session(end: .closed)) && goesOn(ground(), nil, session(end: .expired)))
        #expect(!goesOn(ground(), nil, session(end: .deviceFailed)))
    }

    @Test func `ends with all sessions, the account, the device key and the links, by position`() throws {
        let reason = try #require(ReasonCode("lost"))
        let ofEmployee: [EmployeeEvent] = [
            .sessionsEnded(EmployeeSessionsEnded(employeeID: Self.employee, reason: reason, by: .policy)),
            .cancelled(EmployeeCancelled(employeeID: Self.employee, reason: .cancelled, note: nil, by: .policy)),
            .keyRevoked(EmployeeKeyRevoked(employeeID: Self.employee, key: Self.key, reason: reason, by: .policy)),
        ]
        for event in ofEmployee { #expect(!goesOn(ground([(20, event)])), "\(event)") }
        #expect(goesOn(ground([(9, ofEmployee[0])])), "an end before the log-in")
        #expect(!goesOn(ground([(11, ofEmployee[0])])), "an end between the log-in and the grant")
        let reinstated = EmployeeEvent.reinstated(EmployeeReinstated(employeeID: Self.employee, by: .policy))
        #expect(!goesOn(ground([(20, ofEmployee[1]), (21, reinstated)])))
        for app in [Self.client, Self.pages] {
            let unlinked = TenantEvent.appUnlinked(AppUnlinked(appID: app, by: .operator(nil)))
            let linked = TenantEvent.appLinked(AppLinked(appID: app, by: .operator(nil)))
            #expect(!goesOn(ground([], [(20, unlinked)])))
            #expect(!goesOn(ground([], [(20, unlinked), (21, linked)])), "a new link revives nothing")
            #expect(goesOn(ground([], [(8, unlinked), (9, linked)])))
        }
        #expect(!goesOn(ground(withdrawnAt: 20)) && goesOn(ground(withdrawnAt: 11)))
    }

    @Test func `ends with a change of credentials, but for the session that the change opened`() {
        func change(after seconds: Int, request: String? = "change") -> GrantGround {
            let time = Sample.start.adding(.seconds(seconds))
            return ground(credentials: GrantGround.Moment(position: 1, time: time, requestID: request))
        }
        #expect(!goesOn(change(after: 1)) && !goesOn(change(after: 0)))
        #expect(goesOn(change(after: -1)), "a log-in after the change")
        // Of one append each ledger may have another time.
        #expect(goesOn(change(after: 30), nil, session(request: "change")))
        #expect(!goesOn(change(after: 90), nil, session(request: "change")), "a name of a request that was used again")
        #expect(!goesOn(change(after: 1, request: nil), nil, session(request: nil)))
    }
}
