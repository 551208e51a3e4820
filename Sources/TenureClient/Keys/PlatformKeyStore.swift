/// The store that a platform offers: the key chain with the Secure Enclave on Apple's, files elsewhere.
public enum PlatformKeyStore {
    /// The store for keys that nobody chose another for.
    public static func standard() -> any DeviceKeyStore {
        #if canImport(Security)
        KeychainDeviceKeyStore()
        #else
        FileDeviceKeyStore()
        #endif
    }
}
