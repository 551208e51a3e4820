import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps what the program sends from proxies that could read it.
///
/// libcurl, which FoundationNetworking uses, follows `http_proxy` and `all_proxy` even to this machine, and a proxy reads
/// the tokens of requests in clear text. Requests over TLS to other machines still use `https_proxy`.
enum ProxyVariables {
    /// The hosts that are this machine.
    private static let loopback = ["localhost", "127.0.0.1", "::1", "127.0.0.0/8"]

    /// Changes the environment of this process, which its children inherit. Call it while there is one thread.
    static func restrict() {
        for (name, value) in changes(ProcessInfo.processInfo.environment) {
            if let value { setenv(name, value, 1) } else { unsetenv(name) }
        }
    }

    /// Returns the new values of variables; `nil` for those that are removed.
    static func changes(_ environment: [String: String]) -> [String: String?] {
        var changes: [String: String?] = [:]
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] where environment[name] != nil {
            changes[name] = .some(nil)
        }
        func first(_ names: String...) -> String? { names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } }
        // The order in which libcurl looks.
        guard let proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") else { return changes }
        if environment["https_proxy"] != proxy { changes["https_proxy"] = proxy }
        let exceptions = first("no_proxy", "NO_PROXY")
        guard exceptions != "*" else { return changes }
        changes["no_proxy"] = ([exceptions].compactMap { $0 } + loopback).joined(separator: ",")
        return changes
    }
}
