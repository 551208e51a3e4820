import Foundation

/// Which requests may pass through a proxy that the system or the environment names.
///
/// A proxy reads what is sent in clear text, so requests without TLS go directly to the service. So do those to this
/// machine: on a proxy, loopback is another machine.
enum ProxyRule {
    /// Whether a request for this URL must not pass through a proxy.
    static func isDirect(_ url: URL) -> Bool { url.scheme?.lowercased() != "https" || isLoopback(url) }

    /// Whether the URL's host is this machine.
    static func isLoopback(_ url: URL) -> Bool {
        guard var host = url.host?.lowercased() else { return false }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.hasSuffix(".") { host.removeLast() }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts[0] == "127", parts.allSatisfy({ UInt8($0) != nil }) { return true }
        return host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
    }

    /// Whether libcurl, which FoundationNetworking uses, would send a request over TLS for this host to a proxy.
    static func environmentNamesProxy(
        for host: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Bool {
        func value(_ names: String...) -> String? { names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } }
        guard value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") != nil else { return false }
        let exceptions = (value("no_proxy", "NO_PROXY") ?? "").split { $0 == "," || $0 == " " }
        return !exceptions.contains { $0 == "*" || $0.lowercased() == host.lowercased() }
    }
}
