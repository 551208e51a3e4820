import Testing

@testable import TenureClient

@Suite struct `The legality matrix of M-Pin` {
    /// Every call whose legality depends on the state.
    enum Method: String, CaseIterable {
        case start, restart, confirm, finish, startAuthentication, finishAuthentication, finishAuthenticationMFA, link,
            logIn

        /// The states in which the call is legal. `finish` needs a Confirm besides.
        var states: Set<MPinUser.State> {
            switch self {
            case .start: [.invalid]
            case .restart: [.startedRegistration]
            case .confirm, .finish: [.startedRegistration, .activated]
            case .startAuthentication, .finishAuthentication, .finishAuthenticationMFA, .logIn: [.registered]
            case .link: [.startedRegistration, .activated]
            }
        }

        func call(_ device: MPinDevice, _ user: MPinUser) async -> MPinStatus {
            let client = device.client
            switch self {
            case .start: return await client.startRegistration(user)
            case .restart: return await client.restartRegistration(user)
            case .confirm: return await client.confirmRegistration(user)
            case .finish: return await client.finishRegistration(user, pin: "2741")
            case .startAuthentication: return await client.startAuthentication(user)
            case .finishAuthentication: return await client.finishAuthentication(user, pin: "2741")
            case .finishAuthenticationMFA: return await client.finishAuthenticationMFA(user, pin: "2741").status
            case .link:
                let account = device.tenure.account(companyName: "acme.example", companyEmployeeId: "7")
                return await client.link(user, session: EmployeeSession(client: device.tenure, account: account))
            case .logIn:
                return await client.logIn(user, pin: "2741", companyName: "acme.example", companyEmployeeId: "7").status
            }
        }
    }

    @Test(arguments: Method.allCases, MPinUser.State.allCases)
    func `a call is legal in exactly its states`(method: Method, state: MPinUser.State) async throws {
        let service = try FakeMPinService(verifiesAtOnce: state != .startedRegistration)
        let device = try await MPinDevice(service)
        let user = try await device.user(state)
        let (before, stored) = (await service.sent.count, try await device.record())
        let status = await method.call(device, user)
        if method.states.contains(state), method != .finish {
            #expect(status.status != .flowError, "\(status)")
            return
        }
        #expect(status.status == .flowError && !status.message.isEmpty)
        #expect(user.getState() == state)
        #expect(await service.sent.count == before, "nothing is sent")
        #expect(try await device.record() == stored)
    }

    @Test func `another object of a stored user, and a user of another backend, are refused`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await device.user(.registered)
        let twin = device.client.makeNewUser(user.id)
        #expect(await device.client.startRegistration(twin).status == .flowError)
        #expect(await device.client.finishAuthentication(twin, pin: "2741").status == .flowError)
        #expect(await device.client.deleteUser(twin).status == .ok, "a user that is not stored")
        #expect(await device.client.setBackend(companyName: "pier.example").status == .ok)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .flowError)
        #expect(await device.client.listUsers().users.isEmpty)
        #expect(await device.client.listUsers(of: FakeMPinService.backend).users.first === user)
        #expect(await device.client.setBackend(FakeMPinService.backend + "/").status == .ok)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .ok)
        #expect(await device.client.deleteUser(user).status == .ok)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .flowError)
    }

    @Test(arguments: [
        ("", MPinStatus.Code.pinInputCanceled), ("123", .flowError), ("123456789", .flowError), ("12 4", .flowError),
        ("12a4", .flowError), ("-123", .flowError), ("١٢٣٤", .flowError), (" 1234", .flowError),
    ])
    func `a PIN has 4 to 8 digits`(pin: String, expected: MPinStatus.Code) async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await device.user(.activated)
        #expect(await device.client.confirmRegistration(user).status == .ok)
        #expect(await device.client.finishRegistration(user, pin: pin).status == expected)
        #expect(user.getState() == .activated)
        #expect(await device.client.finishRegistration(user, pin: "1234").status == .ok)
        #expect(await device.client.finishAuthentication(user, pin: pin).status == expected)
    }

    @Test func `a Finish is legal again after each Confirm only`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await device.user(.activated)
        #expect(await device.client.confirmRegistration(user).status == .ok)
        await device.service.answer(.signature, .lose, .lose)
        #expect(await device.client.confirmRegistration(user).status == .networkError)
        #expect(await device.client.finishRegistration(user, pin: "1234").status == .flowError)
    }
}
