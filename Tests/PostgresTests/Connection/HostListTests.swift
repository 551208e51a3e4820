import Testing

@testable import Postgres

struct HostListTests {
    typealias Element = HostList.Element

    @Test func `hosts share one port or have one each`() {
        #expect(
            HostList.split(host: "a,b", hostaddr: nil, port: "1") == [
                Element(host: "a", port: "1"), Element(host: "b", port: "1"),
            ])
        #expect(
            HostList.split(host: "a,b", hostaddr: nil, port: "1,2") == [
                Element(host: "a", port: "1"), Element(host: "b", port: "2"),
            ])
        #expect(HostList.split(host: "a,b", hostaddr: nil, port: nil) == [Element(host: "a"), Element(host: "b")])
        #expect(HostList.split(host: nil, hostaddr: nil, port: nil) == [Element()])
    }

    @Test func `addresses count before names, and an empty element is left to libpq`() {
        #expect(
            HostList.split(host: "a,b", hostaddr: "10.0.0.1,", port: ",2") == [
                Element(host: "a", hostaddr: "10.0.0.1"), Element(host: "b", port: "2"),
            ])
        #expect(
            HostList.split(host: nil, hostaddr: "10.0.0.1,10.0.0.2", port: nil) == [
                Element(hostaddr: "10.0.0.1"), Element(hostaddr: "10.0.0.2"),
            ])
    }

    @Test func `lists of different lengths are not split`() {
        #expect(HostList.split(host: "a,b", hostaddr: "10.0.0.1", port: nil) == nil)
        #expect(HostList.split(host: "a,b", hostaddr: nil, port: "1,2,3") == nil)
        #expect(HostList.split(host: nil, hostaddr: nil, port: "1,2") == nil)
    }

    private func values(_ keyword: String, _ url: String) throws -> [String?] {
        try PostgresConfiguration(url: url).eachHost.map { host in
            try host.connectParameters().first { $0.keyword == keyword }?.value
        }
    }

    @Test(arguments: [
        "postgresql://me@one.example:1,two.example:2/app?connect_timeout=3",
        "host=one.example,two.example port=1,2 user=me dbname=app connect_timeout=3",
    ])
    func `each host of a URL or conninfo string is tried by itself`(_ url: String) throws {
        #expect(try values("host", url) == ["one.example", "two.example"])
        #expect(try values("port", url) == ["1", "2"])
        #expect(try values("dbname", url) == ["app", "app"])
        #expect(try PostgresConfiguration(url: url).hostTimeout == .seconds(3))
    }

    @Test func `one remote host makes TLS needed for all`() throws {
        #expect(try values("sslmode", "host=127.0.0.1,db.example") == ["verify-full", "verify-full"])
        #expect(try values("sslmode", "host=127.0.0.1,localhost") == ["prefer", "prefer"])
    }

    @Test func `a standby is preferred among all hosts before any other server is taken`() throws {
        let url = "host=a,b target_session_attrs=prefer-standby"
        #expect(try values("host", url) == ["a", "b", "a", "b"])
        #expect(try values("target_session_attrs", url) == ["standby", "standby", "any", "any"])
        #expect(try values("target_session_attrs", "host=a,b target_session_attrs=read-write").count == 2)
    }

    @Test func `a host without a limit of its own has none`() throws {
        #expect(try PostgresConfiguration(url: "host=a connect_timeout=0").hostTimeout == nil)
        #expect(try PostgresConfiguration(url: "host=a connect_timeout=-1").hostTimeout == nil)
    }

    @Test func `a server that is behind is reported before others that cannot be reached`() {
        let refused = PostgresError(.connection, "refused", serverMessage: "first")
        let behind = PostgresError(.serverBehind, "behind")
        let late = PostgresError(.timeout, "late", serverMessage: "second")
        let joined = PostgresError(joining: [behind, refused, late])
        #expect(joined.code == .serverBehind)
        #expect(joined.debugDescription.hasSuffix("first\nsecond"))
        #expect(PostgresError(joining: [refused, late]).code == .connection)
        #expect(PostgresError(joining: [late]).code == .timeout)
    }
}
