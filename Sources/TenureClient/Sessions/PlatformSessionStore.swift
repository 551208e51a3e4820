/// The store that a platform offers: the key chain on Apple's, files elsewhere.
public enum PlatformSessionStore {
    /// The store for sessions that nobody chose another for.
    public static func standard() -> any SessionStore {
        #if canImport(Security)
        KeychainSessionStore()
        #else
        FileSessionStore()
        #endif
    }
}
