import TenureClient
import Testing

/// The three samples of Milagro's page about the registration methods, in Swift's spelling.
///
/// They run against a backend in which the app verifies identities: `verify` stands for the person who opens the mail.
struct MPinSamples {
    /// A backend, such as `https://id.example/mpin/acme.example`.
    let backend: String
    let appCredentials: AppCredentials
    /// Verifies the identity of a user, while the sample waits for that.
    let verify: @Sendable (MPinUser) async throws -> Void

    /// Runs all three samples, each as a new device, and returns the users that the last two registered.
    func run(transport: any Transport = URLSessionTransport()) async throws -> [MPinUser] {
        var users: [MPinUser] = []
        for sample in [start, restart, confirmAndFinish] {
            await MPin.destroy()
            let client = try TenureClient(
                appCredentials: appCredentials, transport: transport, keyStore: MemoryDeviceKeyStore(),
                sessionStore: MemorySessionStore(), pinStore: MemoryPinStore())
            #expect(await MPin.initSDK(client, store: MemoryMPinStore()).status == .ok)
            #expect(await MPin.setBackend(backend).status == .ok)
            if let user = try await sample() { users.append(user) }
        }
        await MPin.destroy()
        return users
    }

    /// The sample of StartRegistration.
    private func start() async throws -> MPinUser? {
        let iuser = MPin.makeNewUser("me@MIRACL.org", deviceName: "My Smartphone")
        let mpinStatus = await MPin.startRegistration(iuser)

        if mpinStatus.status != .ok {
            Issue.record("\(mpinStatus)")
        }
        return nil
    }

    /// The sample of RestartRegistration.
    private func restart() async throws -> MPinUser? {
        let iuser = MPin.makeNewUser("me@MIRACL.org", deviceName: "My Smartphone")
        var mpinStatus = await MPin.startRegistration(iuser)

        if mpinStatus.status != .ok {
            Issue.record("\(mpinStatus)")
        }

        if iuser.getState() == .startedRegistration {
            // Waiting for identity verification, which doesn't happen
            mpinStatus = await MPin.restartRegistration(iuser)

            //
            // Wait for identity confirmation
            //
            try await verify(iuser)

            mpinStatus = await MPin.confirmRegistration(iuser)

            if mpinStatus.status == .identityNotVerified {
                Issue.record("the identity has not been verified")
            } else if mpinStatus.status != .ok {
                Issue.record("\(mpinStatus)")
            }

            let setupPin = "2741"

            mpinStatus = await MPin.finishRegistration(iuser, pin: setupPin)

            if mpinStatus.status != .ok {
                Issue.record("\(mpinStatus)")
            }
        }
        return iuser
    }

    /// The sample of ConfirmRegistration and FinishRegistration, with a Confirm before the identity is verified.
    private func confirmAndFinish() async throws -> MPinUser? {
        let iuser = MPin.makeNewUser("me@MIRACL.org", deviceName: "My Smartphone")
        var mpinStatus = await MPin.startRegistration(iuser)

        if mpinStatus.status != .ok {
            Issue.record("\(mpinStatus)")
        }

        if iuser.getState() == .startedRegistration {
            mpinStatus = await MPin.confirmRegistration(iuser, pushNotificationIdentifier: "my-push-identifier")

            if mpinStatus.status == .identityNotVerified {
                // The identity has not been verified
                try await verify(iuser)
                mpinStatus = await MPin.confirmRegistration(iuser, pushNotificationIdentifier: "my-push-identifier")
            }
            if mpinStatus.status != .ok {
                Issue.record("\(mpinStatus)")
            }

            let setupPin = "2741"

            mpinStatus = await MPin.finishRegistration(iuser, pin: setupPin)

            if mpinStatus.status != .ok {
                Issue.record("\(mpinStatus)")
            }
        }
        return iuser
    }
}
