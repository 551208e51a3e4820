extension TenureClientError.Code {
    /// The flow was given up: by `cancel()`, by cancelling the task, or by starting another flow.
    public static let cancelled = Self(rawValue: "client.cancelled")
    /// The step was used while an earlier call of it was still at work, or no step of that kind is open.
    public static let wrongStep = Self(rawValue: "flow.wrong_step")
    /// The flow has ended; its steps cannot be used again.
    public static let flowEnded = Self(rawValue: "flow.already_used")
    /// Somebody has to authorize this device's key, and no callback wanted to know.
    public static let authorizationPending = Self(rawValue: "client.authorization_pending")
    /// Something has to be asked, and there is neither a callback nor a prompt provider.
    public static let promptRequired = Self(rawValue: "client.prompt_required")
    /// The terminal prompt has no terminal to ask at.
    public static let promptUnavailable = Self(rawValue: "client.prompt_unavailable")
    /// The service or the user asks for a mode that this client was told not to use.
    public static let modeUnavailable = Self(rawValue: "client.mode_unavailable")
    /// The account has other credentials than this device knows, and nobody has accepted them: the person changed them on
    /// another device, or the service shows credentials of its own making. Nothing was evaluated or signed.
    public static let credentialsChanged = Self(rawValue: "client.credentials_changed")
    /// The app credentials name no address of a service.
    public static let baseURLMissing = Self(rawValue: "client.base_url_missing")
    /// This device keeps no session of that account.
    public static let notLoggedIn = Self(rawValue: "client.not_logged_in")
    /// What keeps sessions cannot be read or written, or others may read it.
    public static let storageFailed = Self(rawValue: "client.storage_failed")
}
