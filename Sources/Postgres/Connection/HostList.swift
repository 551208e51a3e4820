import CLibPQ

/// The hosts of a configuration, split as libpq does it (manual §34.1.1.3).
enum HostList {
    /// One host of a list; `nil` leaves a parameter to libpq.
    struct Element: Equatable {
        var host: String?
        var hostaddr: String?
        var port: String?
    }

    /// Splits libpq's three lists. One port counts for all hosts.
    ///
    /// - Returns: `nil` for lists of different lengths, which libpq refuses in its own words.
    static func split(host: String?, hostaddr: String?, port: String?) -> [Element]? {
        let hosts = list(host), addresses = list(hostaddr), ports = list(port)
        let count = max((addresses ?? hosts)?.count ?? 1, 1)
        guard hosts.map({ $0.count == count }) ?? true, (ports?.count).map({ $0 == 1 || $0 == count }) ?? true else {
            return nil
        }
        return (0..<count).map { index in
            Element(
                host: hosts?[index], hostaddr: addresses?[index],
                port: ports.flatMap { $0.count == 1 ? $0[0] : $0[index] })
        }
    }

    private static func list(_ text: String?) -> [String?]? {
        guard let text, !text.isEmpty else { return nil }
        return text.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) }
    }
}

extension PostgresConfiguration {
    /// A copy for each host of the lists `host`, `hostaddr` and `port`, in the order in which they are tried.
    ///
    /// Each host is tried by itself, so that each has its time, and so that a server can be refused and the next one
    /// tried. Whether TLS is needed is decided by the whole list. With `target_session_attrs=prefer-standby` each host
    /// comes twice: first as a standby, then as any server. A list in a service file named by `service` is left to
    /// libpq.
    public var eachHost: [PostgresConfiguration] {
        guard let elements = HostList.split(host: given("host"), hostaddr: given("hostaddr"), port: given("port")),
            parameters["service"] == nil, elements.count > 1
        else { return [self] }
        let copies = elements.map { element in
            setting("host", element.host).setting("hostaddr", element.hostaddr).setting("port", element.port)
                .setting("sslmode", effectiveMode)
        }
        guard given("target_session_attrs") == "prefer-standby" else { return copies }
        return copies.map { $0.setting("target_session_attrs", "standby") }
            + copies.map { $0.setting("target_session_attrs", "any") }
    }

    /// How long one host may take if the URL says so (`connect_timeout`); 0 means no limit, as in libpq.
    var hostTimeout: Duration? {
        guard let text = given("connect_timeout"), let seconds = Int(text), seconds > 0 else { return nil }
        return .seconds(seconds)
    }

    /// A parameter of the URL, or of libpq's environment variables.
    private func given(_ keyword: String) -> String? {
        if let value = parameters[keyword] { return value }
        guard parameters["service"] == nil, var option = unsafe PQconndefaults() else { return nil }
        let list = unsafe option
        defer { unsafe PQconninfoFree(list) }
        while let name = unsafe option.pointee.keyword {
            if unsafe String(cString: name) == keyword {
                return unsafe option.pointee.val.map { unsafe String(cString: $0) }
            }
            unsafe option += 1
        }
        return nil
    }
}
