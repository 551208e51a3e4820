import Foundation

/// Registration and authentication with a PIN as static functions, in the shape of Milagro's mobile SDK.
///
/// It is a thin layer over one ``MPinClient``, which ``initSDK(appCredentials:)`` creates. Before that every call is
/// `FLOW_ERROR`.
///
/// ```swift
/// await MPin.initSDK(appCredentials: appCredentials)
/// await MPin.setBackend("https://id.example/mpin/acme.example")
/// let iuser = MPin.makeNewUser("me@MIRACL.org", deviceName: "My Smartphone")
/// var mpinStatus = await MPin.startRegistration(iuser)
/// if mpinStatus.status != .ok {
///     // Handle error
/// }
/// ```
public enum MPin {
    /// Holds the client.
    ///
    /// `@unchecked Sendable`: `client` is accessed only while `lock` is held.
    private final class Shared: @unchecked Sendable {
        private let lock = NSLock()
        private var client: MPinClient?

        var current: MPinClient? { lock.withLock { client } }

        func begin(_ new: MPinClient) { lock.withLock { if client == nil { client = new } } }
        func end() { lock.withLock { client = nil } }
    }

    private static let shared = Shared()
    private static let uninitialised = MPinStatus(.flowError, "MPin is not initialised. Call initSDK first.")

    /// The client of the static functions; `nil` before ``initSDK(appCredentials:)``.
    public static var client: MPinClient? { shared.current }

    /// Initialises the SDK with the app's credentials and the platform's stores. A second call changes nothing.
    ///
    /// - Returns: `OK`, or `FLOW_ERROR` if the credentials name no service.
    @discardableResult
    public static func initSDK(appCredentials: AppCredentials) async -> MPinStatus {
        do throws(TenureClientError) {
            return await initSDK(try TenureClient(appCredentials: appCredentials))
        } catch { return MPinStatus(.flowError, "The app credentials name no service.") }
    }

    /// Initialises the SDK with a client and a store. A second call changes nothing.
    ///
    /// - Returns: `OK`.
    @discardableResult
    public static func initSDK(
        _ client: TenureClient, store: any MPinStore = PlatformMPinStore.standard()
    ) async -> MPinStatus {
        shared.begin(MPinClient(client, store: store))
        return .ok
    }

    /// Ends the SDK, so that it can be initialised anew. Stored users stay.
    public static func destroy() async { shared.end() }

    /// Sets the backend. See ``MPinClient/setBackend(_:)``.
    @discardableResult
    public static func setBackend(_ url: String) async -> MPinStatus {
        await client?.setBackend(url) ?? uninitialised
    }

    /// Checks a backend. See ``MPinClient/testBackend(_:)``.
    public static func testBackend(_ url: String) async -> MPinStatus {
        await client?.testBackend(url) ?? uninitialised
    }

    /// Makes a user in state `INVALID`. See ``MPinClient/makeNewUser(_:deviceName:)``.
    public static func makeNewUser(_ id: String, deviceName: String? = nil) -> MPinUser {
        MPinUser(id: id, deviceName: deviceName)
    }

    /// Lists the stored users of the backend. See ``MPinClient/listUsers()``.
    public static func listUsers() async -> (status: MPinStatus, users: [MPinUser]) {
        await client?.listUsers() ?? (uninitialised, [])
    }

    /// Erases a user from this device. See ``MPinClient/deleteUser(_:)``.
    @discardableResult
    public static func deleteUser(_ user: MPinUser) async -> MPinStatus {
        await client?.deleteUser(user) ?? uninitialised
    }

    /// Starts a registration. See ``MPinClient/startRegistration(_:activateCode:userData:)``.
    public static func startRegistration(
        _ user: MPinUser, activateCode: String? = nil, userData: String? = nil
    ) async -> MPinStatus {
        await client?.startRegistration(user, activateCode: activateCode, userData: userData) ?? uninitialised
    }

    /// Starts the verification of the identity again. See ``MPinClient/restartRegistration(_:userData:)``.
    public static func restartRegistration(_ user: MPinUser, userData: String? = nil) async -> MPinStatus {
        await client?.restartRegistration(user, userData: userData) ?? uninitialised
    }

    /// Fetches the client key. See ``MPinClient/confirmRegistration(_:pushNotificationIdentifier:)``.
    public static func confirmRegistration(
        _ user: MPinUser, pushNotificationIdentifier: String? = nil
    ) async -> MPinStatus {
        await client?.confirmRegistration(user, pushNotificationIdentifier: pushNotificationIdentifier)
            ?? uninitialised
    }

    /// Takes the PIN and registers the user. See ``MPinClient/finishRegistration(_:pin:)``.
    public static func finishRegistration(_ user: MPinUser, pin: String) async -> MPinStatus {
        await client?.finishRegistration(user, pin: pin) ?? uninitialised
    }

    /// Checks that a user can authenticate. See ``MPinClient/startAuthentication(_:)``.
    public static func startAuthentication(_ user: MPinUser) async -> MPinStatus {
        await client?.startAuthentication(user) ?? uninitialised
    }

    /// Authenticates a user. See ``MPinClient/finishAuthentication(_:pin:)``.
    public static func finishAuthentication(_ user: MPinUser, pin: String) async -> MPinStatus {
        await client?.finishAuthentication(user, pin: pin) ?? uninitialised
    }

    /// Proves the PIN and returns the authorization code. See ``MPinClient/finishAuthenticationMFA(_:pin:)``.
    public static func finishAuthenticationMFA(
        _ user: MPinUser, pin: String
    ) async -> (status: MPinStatus, authorizationCode: String?) {
        await client?.finishAuthenticationMFA(user, pin: pin) ?? (uninitialised, nil)
    }

    /// Links a user's identity to an account. See ``MPinClient/link(_:session:)``.
    public static func link(_ user: MPinUser, session: EmployeeSession) async -> MPinStatus {
        await client?.link(user, session: session) ?? uninitialised
    }

    /// Logs an employee in with the PIN. See ``MPinClient/logIn(_:pin:companyName:companyEmployeeId:)``.
    public static func logIn(
        _ user: MPinUser, pin: String, companyName: String, companyEmployeeId: String
    ) async -> (status: MPinStatus, outcome: FlowOutcome?) {
        await client?.logIn(user, pin: pin, companyName: companyName, companyEmployeeId: companyEmployeeId)
            ?? (uninitialised, nil)
    }
}
