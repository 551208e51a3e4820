/// What a browser calls itself and its system, as the first name of the device: "Firefox on Linux".
///
/// Both are of fixed lists, so no text of a stranger enters the log, and the name tells little more than the header
/// fields did.
struct BrowserName: Sendable, Equatable {
    let text: String

    /// - Parameter headers: The header fields of the request; without a known browser or system there is no name.
    init?(_ headers: RequestHeaders) {
        let agent = headers.all("User-Agent").first ?? "", brands = headers.all("Sec-CH-UA").first ?? ""
        let platform = headers.all("Sec-CH-UA-Platform").first ?? ""
        let browser =
            Self.first(of: Self.brands, in: brands) ?? Self.first(of: Self.agents, in: agent)
        let system = Self.first(of: Self.systems, in: platform) ?? Self.first(of: Self.systems, in: agent)
        switch (browser, system) {
        case (let browser?, let system?): text = "\(browser) on \(system)"
        case (let name?, nil), (nil, let name?): text = name
        case (nil, nil): return nil
        }
    }

    /// A part of a header field, and what it says. Browsers name those that they descend from too, so the order counts.
    private typealias Mark = (part: String, name: String)

    private static let brands: [Mark] = [
        ("\"Microsoft Edge\"", "Edge"), ("\"Opera\"", "Opera"), ("\"Brave\"", "Brave"), ("\"Vivaldi\"", "Vivaldi"),
        ("\"Google Chrome\"", "Chrome"), ("\"Chromium\"", "Chromium"),
    ]
    private static let agents: [Mark] = [
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Edg", "Edge"), ("OPR/", "Opera"), ("Chromium/", "Chromium"),
        ("CriOS/", "Chromium"), ("Chrome/", "Chromium"), ("Version/", "Safari"),
    ]
    private static let systems: [Mark] = [
        ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iOS"), ("iOS", "iOS"), ("Windows", "Windows"),
        ("Chrome OS", "ChromeOS"), ("ChromeOS", "ChromeOS"), ("CrOS", "ChromeOS"), ("macOS", "macOS"),
        ("Macintosh", "macOS"), ("Linux", "Linux"),
    ]

    private static func first(of marks: [Mark], in field: String) -> String? {
        // A field of a browser is short; a longer one is not searched.
        guard field.utf8.count <= 1_024 else { return nil }
        return marks.first { field.contains($0.part) }?.name
    }
}
