import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite struct BrowserNameTests {
    private func name(_ fields: [String: String]) -> String? {
        var headers = HTTPFields()
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return BrowserName(RequestHeaders(fields: headers))?.text
    }

    @Test(arguments: [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Edg/130.0",
            "Edge on Windows"
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1 Version/17.5 Safari/604.1",
            "Safari on iOS"
        ),
        (
            "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36",
            "Chromium on Android"
        ),
        ("curl/8.5.0", nil), ("", nil),
    ])
    func `the name comes from the agent`(agent: String, expected: String?) {
        #expect(name(["User-Agent": agent]) == expected)
    }

    @Test func `brands count before the agent, which hides them`() {
        let fields = [
            "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0",
            "Sec-CH-UA": "\"Chromium\";v=\"130\", \"Not?A_Brand\";v=\"99\"", "Sec-CH-UA-Platform": "\"Linux\"",
        ]
        #expect(name(fields) == "Chromium on Linux")
    }

    @Test func `a text of a stranger is no name`() {
        #expect(name(["User-Agent": "<script>Firefox/</script>"]) == "Firefox")
        #expect(name(["User-Agent": "Firefox/" + String(repeating: "x", count: 2_000)]) == nil)
    }
}
