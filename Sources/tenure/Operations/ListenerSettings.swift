import HTTPAPI
import HTTPLimits

extension Settings {
    /// Where the metrics are served; `nil` if they are off. Without the setting: on loopback, if the port is free.
    func metricsListener() throws -> MetricsListener? {
        let token = text(.metricsToken)
        guard let address = text(.metricsListen) else { return MetricsListener(token: token) }
        guard address != "off" else { return nil }
        let colon = address.lastIndex(of: ":")
        guard let colon, let port = Int(address[address.index(after: colon)...]), (0...65_535).contains(port),
            let host = Self.host(address[..<colon])
        else {
            throw CommandFailure(
                .usage, "\(Name.metricsListen.variable) is no address",
                remedy: "Write an address and a port, such as 127.0.0.1:9464 or [::1]:9464, or off.")
        }
        return MetricsListener(host: host, port: port, token: token, isOptional: false)
    }

    /// The host before a port. An IPv6 address has brackets, so that its end is known.
    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") { return String(text.dropFirst().dropLast()) }
        return text.isEmpty || text.contains(":") ? nil : String(text)
    }

    /// The networks of a setting.
    func networks(_ name: Name) throws -> TrustedNetworks { try Self.networks(list(name), of: name.variable) }

    /// Reads networks, and names the setting if one cannot be read.
    static func networks(_ texts: [String], of setting: String) throws -> TrustedNetworks {
        do throws(UnreadableNetwork) {
            return try TrustedNetworks(texts)
        } catch {
            throw CommandFailure(
                .usage, "\(setting) names no networks: \(error)",
                remedy: "Write addresses and networks with commas between, such as 192.0.2.7,10.0.0.0/8.")
        }
    }
}
