import Foundation

/// The two flows with callbacks, in the shape that apps for Bayun know, as a thin layer over ``TenureClient``.
///
/// Each flow ends in exactly one callback, called once on the main actor: `success`, `failure`, or `authorizeEmployee`
/// when this device's key has to be authorized first (`failure` with `client.authorization_pending` where that callback
/// is nil). ``register(withCompanyName:companyEmployeeId:email:isCompanyOwnedEmail:appCredentials:newUserCredentialsCallback:securityQuestionsCallback:passphraseCallback:authorizeEmployeeCallback:success:failure:)``
/// and `login` use their own callbacks until they have asked for something; the call that continues (``validatePassphrase(_:authorizeEmployeeCallback:success:failure:)``
/// and its like) brings callbacks of its own and uses those. After a wrong answer its `failure` is called, and it can be
/// called again.
///
/// One instance goes through one flow at a time: beginning another cancels the one that is open. Make more instances to
/// have more flows at once.
///
/// `@unchecked Sendable`: what can change is read and written only while `lock` is held.
public final class TenureCore: @unchecked Sendable {
    private static let shared = TenureCore()

    private let lock = NSLock()
    private var currentConfiguration: Configuration
    private var currentFlow: CallbackFlow?
    private var lastSession: EmployeeSession?

    /// An instance of its own.
    public init(configuration: Configuration = Configuration()) { currentConfiguration = configuration }

    deinit { currentFlow?.cancel() }

    /// The instance that an app shares.
    public static func sharedInstance() -> TenureCore { shared }

    /// Everything that can be chosen.
    public struct Configuration: Sendable {
        /// Sends requests.
        public var transport: any Transport
        /// How often and how long a call is tried again.
        public var retries: RetryPolicy
        /// How secrets are proved.
        public var mode: TenureClient.Mode
        /// Where this device's keys are.
        public var keyStore: any DeviceKeyStore
        /// Where the tokens of sessions are.
        public var sessionStore: any SessionStore
        /// Where it is remembered which credentials the blind mode has met.
        public var pinStore: any PinStore
        /// Asks where a callback is nil; `nil` fails then with `client.prompt_required`. Asks too whether the person
        /// changed credentials that this device does not know; `nil` fails then with `client.credentials_changed`.
        public var prompts: (any PromptProvider)?

        /// The platform's stores and no prompts, unless others are named.
        public init(
            transport: any Transport = URLSessionTransport(), retries: RetryPolicy = RetryPolicy(),
            mode: TenureClient.Mode = .automatic, keyStore: any DeviceKeyStore = PlatformKeyStore.standard(),
            sessionStore: any SessionStore = PlatformSessionStore.standard(), pinStore: any PinStore = FilePinStore(),
            prompts: (any PromptProvider)? = nil
        ) {
            self.transport = transport
            self.retries = retries
            self.mode = mode
            self.keyStore = keyStore
            self.sessionStore = sessionStore
            self.pinStore = pinStore
            self.prompts = prompts
        }
    }

    /// Chooses for the flows that begin from now on.
    public func configure(_ configuration: Configuration) { lock.withLock { currentConfiguration = configuration } }

    /// The session of the last flow that succeeded.
    public var session: EmployeeSession? { lock.withLock { lastSession } }

    /// Gives up the open flow; whoever is next is called with `client.cancelled`. Nothing happens without one.
    public func cancel() { lock.withLock { currentFlow }?.cancel() }

    var configuration: Configuration { lock.withLock { currentConfiguration } }
    var flow: CallbackFlow? { lock.withLock { currentFlow } }

    /// Begins a flow in the place of the open one.
    func begin(_ ending: FlowEnding) -> CallbackFlow {
        let flow = CallbackFlow(ending)
        let old = lock.withLock {
            let old = currentFlow
            currentFlow = flow
            return old
        }
        old?.cancel()
        return flow
    }

    /// Ends a call of a flow and calls the callback that its result belongs to.
    func finish(_ flow: CallbackFlow, _ result: Result<FlowOutcome, TenureClientError>) async {
        guard let ending = flow.end(result) else { return }
        if case .success(.success(let admission)) = result { lock.withLock { lastSession = admission.session } }
        await ending.report(result)
    }
}
