/// The names of this machine that no other machine can have.
package enum LoopbackName {
    /// Whether the text is `localhost` or a loopback address.
    package static func matches(_ host: String) -> Bool {
        host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
    }
}
