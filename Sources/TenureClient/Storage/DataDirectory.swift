import Foundation

/// Where a program keeps what must survive it, when nobody names another place.
enum DataDirectory {
    /// `$XDG_DATA_HOME/tenure`, or `~/.local/share/tenure` (XDG Base Directory Specification).
    ///
    /// On Apple's platforms it is in the app's own `Library/Application Support`.
    static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        #if canImport(Darwin)
        return NSHomeDirectory() + "/Library/Application Support/tenure"
        #else
        // The specification has relative values ignored.
        if let named = environment["XDG_DATA_HOME"], named.hasPrefix("/") { return named + "/tenure" }
        return NSHomeDirectory() + "/.local/share/tenure"
        #endif
    }
}
