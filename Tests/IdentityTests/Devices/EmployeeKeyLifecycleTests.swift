import Canonical
@testable import Identity
import Testing

/// Where the account stands in a case of the tables.
enum AccountCase: String, CaseIterable, Sendable {
    case absent, registered, active, cancelled, cancelledUnapproved, reclaimed
}

/// Every command in every state: the tables are the specification.
@Suite struct `Life of an employee key` {
    typealias Standing = Employee.KeyStanding

    /// What a command leads to, in the order present, authorize, refuse, revoke; `+` an event, `-` nothing to do,
    /// `u` unknown key, `r` revoked key, `i` inactive, `?` no such employee.
    static func expected(_ account: AccountCase, _ standing: Standing) -> String {
        let open =
            switch standing {
            case .unknown: "+uuu"
            case .pending: "-++u"
            case .expired: "+uuu"
            case .authorized: "--u+"
            case .refused: "ru-u"
            case .revoked: "ruu-"
            }
        switch account {
        case .absent: return "????"
        case .registered, .active: return open
        case .cancelled, .cancelledUnapproved, .reclaimed:
            // Whatever there was ended with the account.
            return standing == .unknown ? "iiuu" : "iiu-"
        }
    }

    static func state(_ account: AccountCase, _ standing: Standing) throws -> Employee.State? {
        guard account != .absent else { return standing == .unknown ? Employee.initial : nil }
        let approved = account != .registered && account != .cancelledUnapproved
        let policy = TenantPolicy(approval: approved ? .automatic : .admin)
        var commands: [Employee.Command] = [.register(try Scene.register(policy: policy))]
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        let key = Scene.otherKey
        if standing != .unknown {
            commands.append(.presentKey(.init(key: key, flow: EventSamples.flow, time: Scene.now)))
        }
        switch standing {
        case .unknown, .pending, .expired: break
        case .authorized: commands.append(Scene.authorize(key, by: byApp))
        case .refused: commands.append(.refuseKey(try Scene.end(key, by: byApp)))
        case .revoked:
            commands.append(Scene.authorize(key, by: byApp))
            commands.append(.revokeKey(try Scene.end(key, by: byApp)))
        }
        switch account {
        case .absent, .registered, .active: break
        case .cancelled, .cancelledUnapproved:
            guard standing == .unknown || standing == .revoked else { return nil }
            commands.append(try Scene.cancel())
        case .reclaimed:
            guard standing == .unknown || standing == .revoked else { return nil }
            commands.append(.reclaimEmail(try reclaim()))
        }
        return try Scene.state(commands)
    }

    static func reclaim(
        role: EmployeeRole = .employee, by caller: DecidingParty = Scene.person()
    ) throws -> Employee.ReclaimEmail {
        Employee.ReclaimEmail(
            reason: try FreeText("Left."), address: try EmailAddress("zoe@bayunsystems.com"),
            confirmedDomains: ["bayunsystems.com"], by: try Scene.status(caller, role: role))
    }

    static func letter(_ state: Employee.State, _ command: Employee.Command) -> Character {
        do {
            return try Employee.decide(state, command).isEmpty ? "-" : "+"
        } catch {
            switch error {
            case .unknownKey: return "u"
            case .keyRevoked: return "r"
            case .inactive: return "i"
            case .unknownEmployee: return "?"
            case .notPermitted: return "n"
            default: return "!"
            }
        }
    }

    @Test(arguments: AccountCase.allCases, Standing.allCases)
    func `every key command has its defined result in every state`(account: AccountCase, standing: Standing) throws {
        guard let state = try Self.state(account, standing) else {
            // The account's end ended every key, and nobody has a key without an account.
            #expect(account != .registered && account != .active)
            return
        }
        let time = standing == .expired ? Scene.late.adding(.seconds(3_600)) : Scene.now
        let key = Scene.otherKey
        if account != .absent { #expect(state.standing(of: key, at: time) == standing) }
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        let outcome = String([
            Self.letter(state, .presentKey(.init(key: key, flow: EventSamples.flow, time: time))),
            Self.letter(state, Scene.authorize(key, by: byApp, at: time)),
            Self.letter(state, .refuseKey(try Scene.end(key, by: byApp, at: time))),
            Self.letter(state, .revokeKey(try Scene.end(key, by: byApp, at: time))),
        ])
        #expect(outcome == Self.expected(account, standing))
    }

    @Test(arguments: AccountCase.allCases)
    func `every administrative command has its defined result in every state`(account: AccountCase) throws {
        let state = try #require(try Self.state(account, .unknown))
        func run(_ caller: DecidingParty) throws -> String {
            String([
                Self.letter(state, try Scene.approve(caller)),
                Self.letter(state, try Scene.cancel(caller)),
                Self.letter(state, try Scene.reinstate(caller)),
                Self.letter(state, .reclaimEmail(try Self.reclaim(by: caller))),
            ])
        }
        let expected =
            switch account {
            case .absent: "????"
            case .registered: "++-+"
            case .active: "-+-+"
            // A provisional id is released with the cancellation, and such an account never comes back.
            case .cancelled, .cancelledUnapproved: "i-i+"
            case .reclaimed: "i-i-"
            }
        #expect(try run(Scene.person()) == expected)
        #expect(try run(Scene.person(role: .securityAdmin)) == expected)
        for nobody in [
            Scene.person(role: .employee), Scene.person(status: .cancelled), Scene.person(status: .registered),
            Scene.appCaller(), .operator(Scene.operatorKey),
        ] {
            #expect(try run(nobody) == (account == .absent ? "????" : "nnnn"))
        }
    }

    @Test(arguments: AccountCase.allCases, Standing.allCases)
    func `every log-in has exactly one outcome`(account: AccountCase, standing: Standing) throws {
        guard let state = try Self.state(account, standing) else {
            // The account's end ended every key, and nobody has a key without an account.
            #expect(account != .registered && account != .active)
            return
        }
        let time = standing == .expired ? Scene.late.adding(.seconds(3_600)) : Scene.now
        let key = Scene.otherKey
        let outcome = Employee.login(state, key: key, flow: EventSamples.flow, time: time)
        let presenting: [EmployeeEvent] = [
            .keyPresented(
                EmployeeKeyPresented(employeeID: Scene.employee, key: key, flow: EventSamples.flow, first: false))
        ]
        let expected: Employee.Outcome? =
            switch (account, standing) {
            case (.absent, _): nil
            case (.registered, _): .notApproved
            case (.cancelled, _), (.cancelledUnapproved, _), (.reclaimed, _): .inactive
            case (.active, .authorized): .success
            case (.active, .pending): .authorizationPending(presenting: [])
            case (.active, .unknown), (.active, .expired):
                .authorizationPending(presenting: presenting)
            case (.active, .refused), (.active, .revoked): .keyRevoked
            }
        #expect(outcome == expected)
    }

    @Test func `a key expires after a day and not before`() throws {
        let state = try Scene.state([.register(Scene.register())])
        let last = Sample.start.adding(.seconds(86_400))
        let after = Timestamp(microseconds: last.microseconds + 1)
        #expect(state.standing(of: Scene.firstKey, at: last) == .pending)
        #expect(state.standing(of: Scene.firstKey, at: after) == .expired)
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        #expect(try Employee.decide(state, Scene.authorize(Scene.firstKey, by: byApp, at: last)).count == 1)
        #expect(throws: Employee.Rejection.unknownKey) {
            try Employee.decide(state, Scene.authorize(Scene.firstKey, by: byApp, at: after))
        }
    }

    @Test func `a device that asks again after half a day waits for another day`() throws {
        var state = try Scene.state([.register(Scene.register())])
        func present(after seconds: Int64) throws -> [EmployeeEvent] {
            let time = Sample.start.adding(.seconds(seconds))
            return try Employee.decide(
                state, .presentKey(Employee.PresentKey(key: Scene.firstKey, flow: Sample.id(40), time: time)))
        }
        #expect(try present(after: 43_199).isEmpty)
        let time = Sample.start.adding(.seconds(43_200))
        for event in try present(after: 43_200) {
            Employee.evolve(&state, Sample.recorded(event, at: time, position: 77))
        }
        #expect(state.keys[Scene.firstKey]?.presented.position == 77)
        #expect(state.standing(of: Scene.firstKey, at: time.adding(.seconds(86_400))) == .pending)
        #expect(state.standing(of: Scene.firstKey, at: time.adding(.seconds(86_401))) == .expired)
    }

    @Test func `a key presented again is pending again, at its new position`() throws {
        var state = try Scene.state([.register(Scene.register())])
        let again = Employee.PresentKey(key: Scene.firstKey, flow: Sample.id(40), time: Scene.late)
        for event in try Employee.decide(state, .presentKey(again)) {
            Employee.evolve(&state, Sample.recorded(event, at: Scene.late, position: 77))
        }
        let key = try #require(state.keys[Scene.firstKey])
        #expect(key.presented.position == 77 && key.flow == again.flow && !key.isFirst)
        #expect(state.standing(of: Scene.firstKey, at: Scene.late) == .pending)
    }
}
