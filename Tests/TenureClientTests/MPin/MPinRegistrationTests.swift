import Canonical
import Testing

@testable import TenureClient

@Suite struct `M-Pin on a device` {
    @Test func `a user is registered by mail and authenticates with the PIN`() async throws {
        let service = try FakeMPinService(verifiesAtOnce: false), device = try await MPinDevice(service)
        let user = device.client.makeNewUser("me@MIRACL.org", deviceName: "My Smartphone")
        #expect(user.getState() == .invalid && user.backend == nil)
        #expect(await device.client.startRegistration(user, activateCode: "123456", userData: "hi").status == .ok)
        #expect(user.getState() == .startedRegistration && user.backend == FakeMPinService.backend)
        #expect(await device.client.restartRegistration(user).status == .ok)
        #expect(await device.client.confirmRegistration(user).status == .identityNotVerified)
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .flowError)
        await service.verifyAll()
        #expect(await device.client.confirmRegistration(user, pushNotificationIdentifier: "a b").status == .ok)
        #expect(user.getState() == .startedRegistration)
        #expect(await device.client.finishRegistration(user, pin: "").status == .pinInputCanceled)
        #expect(await device.client.finishRegistration(user, pin: "274").status == .flowError)
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .ok)
        #expect(user.getState() == .registered && user.pinDigits == 4)
        #expect(await device.client.startAuthentication(user).status == .ok)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .ok)
        let sent = await service.sent
        let start = try #require(sent.first { $0.method == "PUT" })
        #expect(
            String(decoding: start.body ?? [], as: UTF8.self)
                == #"{"activateCode":"123456","deviceName":"My Smartphone","mobile":1,"userData":"hi","userId":"me@MIRACL.org"}"#
        )
        #expect(sent.contains { $0.url.hasSuffix("&pmiToken=a%20b") })
        #expect(sent.filter { $0.url.hasPrefix("https://dta.example/") }.allSatisfy { $0.headers.isEmpty })
        #expect(!sent.contains { MPinDevice.shows("2741", in: String(decoding: $0.body ?? [], as: UTF8.self)) })
    }

    @Test func `three wrong PINs block the user and erase the token`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await device.user(.registered)
        for state in [MPinUser.State.registered, .registered, .blocked] {
            #expect(await device.client.finishAuthentication(user, pin: "2742").status == .incorrectPIN)
            #expect(user.getState() == state)
        }
        let record = try #require(try await device.record())
        #expect(record.token == nil && record.pinDigits == nil && record.regOTT == nil)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .flowError)
        #expect(await device.client.deleteUser(user).status == .ok)
        #expect(user.getState() == .invalid)
        #expect(await device.client.startRegistration(user).status == .ok)
    }

    @Test func `a right PIN clears the count of wrong ones`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await device.user(.registered, pin: "00330")
        for pin in ["00331", "00331", "00330", "00331", "00331", "00330"] {
            let expected: MPinStatus.Code = pin == "00330" ? .ok : .incorrectPIN
            #expect(await device.client.finishAuthentication(user, pin: pin).status == expected)
        }
        // The same number with another count of digits is refused here and not counted.
        for _ in 0..<4 { #expect(await device.client.finishAuthentication(user, pin: "0330").status == .incorrectPIN) }
        #expect(user.getState() == .registered)
    }

    @Test func `the authorization code is returned and not redeemed`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await device.user(.registered)
        let before = await device.service.sent.count
        let (status, code) = await device.client.finishAuthenticationMFA(user, pin: "1111")
        #expect(status.status == .ok && code?.isEmpty == false, "the verdict is for the back end")
        let sent = await device.service.sent.dropFirst(before)
        #expect(sent.map { $0.url.split(separator: "/").last } == ["pass1", "pass2"])
        let (refused, none) = await device.client.finishAuthenticationMFA(user, pin: "")
        #expect(refused.status == .pinInputCanceled && none == nil)
    }

    @Test func `the static functions need initSDK and share one client`() async throws {
        await MPin.destroy()
        let user = MPin.makeNewUser("me@MIRACL.org")
        #expect(await MPin.startRegistration(user).status == .flowError)
        #expect(await MPin.setBackend(FakeMPinService.backend).status == .flowError)
        let device = try await MPinDevice(FakeMPinService())
        #expect(await MPin.initSDK(device.tenure, store: device.store).status == .ok)
        #expect(await MPin.startRegistration(user).status == .flowError, "no backend is set")
        #expect(await MPin.testBackend(FakeMPinService.backend).status == .ok)
        #expect(await MPin.startRegistration(user).status == .flowError, "testBackend sets none")
        #expect(await MPin.setBackend(FakeMPinService.backend).status == .ok)
        #expect(await MPin.initSDK(device.tenure).status == .ok)
        #expect(await MPin.startRegistration(user).status == .ok)
        #expect(await MPin.listUsers().users.map(\.id) == ["me@MIRACL.org"])
        #expect(await MPin.confirmRegistration(user).status == .ok)
        #expect(await MPin.finishRegistration(user, pin: "12345678").status == .ok)
        #expect(await MPin.startAuthentication(user).status == .ok)
        #expect(await MPin.finishAuthentication(user, pin: "12345678").status == .ok)
        #expect(await MPin.finishAuthenticationMFA(user, pin: "12345678").authorizationCode != nil)
        #expect(await MPin.deleteUser(user).status == .ok)
        #expect(await MPin.listUsers().users.isEmpty)
        await MPin.destroy()
    }

    @Test func `calls of one client run one after another`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = device.client.makeNewUser("me@MIRACL.org")
        let codes = await withTaskGroup(of: MPinStatus.Code.self) { group in
            for _ in 0..<8 { group.addTask { await device.client.startRegistration(user).status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == .ok } == 1 && codes.count { $0 == .flowError } == 7)
        #expect(await device.service.identities.count == 1)
    }
}
