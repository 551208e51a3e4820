import Testing

@testable import HTTPLimits

/// One table of header fields: what was sent, and how it is read.
@Suite struct FieldReaderTests {
    /// A field with its lines, and the reading as text.
    struct Row: Sendable, CustomTestStringConvertible {
        let field: String
        let lines: [String]
        let reading: String

        init(_ field: String, _ lines: String..., reading: String) {
            self.field = field
            self.lines = lines
            self.reading = reading
        }

        var testDescription: String { "\(field): \(lines.joined(separator: " | "))" }
    }

    private static func reading(_ field: String, _ lines: [String]) -> String {
        let reader = FieldReader(lines)
        func words(_ parameters: [FieldParameter]) -> String {
            parameters.map { ";\($0.name)=\($0.value)" }.joined()
        }
        switch field {
        case "Accept", "Accept-Language":
            return reader.weighted().map { "\($0.range)\(words($0.parameters)) \($0.weight)" }
                .joined(separator: ", ")
        case "Authorization": return reader.credentials.map { "\($0.scheme) \($0.token68 ?? "-")" } ?? "nil"
        case "Connection", "Expect": return reader.options.sorted().joined(separator: ", ")
        case "Content-Type": return reader.mediaType.map { $0.type + words($0.parameters) } ?? "nil"
        case "Forwarded":
            return reader.hops.map { hop in
                hop?.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ";") ?? "nil"
            }.joined(separator: ", ")
        case "If-None-Match":
            switch reader.entityTags {
            case .any: return "any"
            case .tags(let tags): return tags.sorted().joined(separator: " ")
            case nil: return "nil"
            }
        case "Prefer":
            return reader.preferences.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                .joined(separator: ", ")
        case "X-Forwarded-For": return reader.plainElements.joined(separator: " ")
        default: return "no such field"
        }
    }

    static let rows: [Row] = [
        Row("Accept", "text/*;q=0.5, application/json", reading: "application/json 1000, text/* 500"),
        Row("Accept", "*/*;q=0", "text/html ; level=1 ; q=0.25;x=y", reading: "text/html;level=1 250"),
        Row("Accept", "text/html;q=2, a/b;q=0.1234, c/d;q=1.000", reading: "c/d 1000"),
        Row("Accept", "a/b;t=\"x, y;q=0\";q=0.1", reading: "a/b;t=x, y;q=0 100"),
        Row("Accept", ", ,", reading: ""),
        Row("Accept-Language", "de-AT, de;q=0.8 ,en;Q=0.9", reading: "de-AT 1000, en 900, de 800"),
        Row("Accept-Language", "en;q = 0.5, fr", reading: "fr 1000"),
        Row("Authorization", "Basic YTpi", reading: "basic YTpi"),
        Row("Authorization", "bEARER   a-._~+/b==", reading: "bearer a-._~+/b=="),
        Row("Authorization", "\tBearer abc ", reading: "bearer abc"),
        Row("Authorization", "Bearer", reading: "bearer -"),
        Row("Authorization", "Bearer\tabc", reading: "bearer -"),
        Row("Authorization", "Bearer a b", reading: "bearer -"),
        Row("Authorization", "Bearer a=b", reading: "bearer -"),
        Row("Authorization", "Digest user=\"a\", realm=\"b\"", reading: "digest -"),
        Row("Authorization", "Basic YTpi", "Basic YTpi", reading: "nil"),
        Row("Authorization", "", reading: "nil"),
        Row("Connection", "Close", reading: "close"),
        Row("Connection", "keep-alive , CLOSE", "TE", reading: "close, keep-alive, te"),
        Row("Connection", "close;now, x y", reading: ""),
        Row("Content-Type", "Application/JSON", reading: "application/json"),
        Row("Content-Type", "application/json;charset=UTF-8", reading: "application/json;charset=UTF-8"),
        Row(
            "Content-Type", "application/json ;; Charset=\"utf\\-8\" ;", reading: "application/json;charset=utf-8"),
        Row("Content-Type", "application/json; charset = utf-8", reading: "nil"),
        Row("Content-Type", "application/json; charset", reading: "nil"),
        Row("Content-Type", "application/json, text/plain", reading: "nil"),
        Row("Content-Type", "application/json; a=\"b", reading: "nil"),
        Row("Content-Type", "appli cation/json", reading: "nil"),
        Row("Expect", "100-Continue", reading: "100-continue"),
        Row("Expect", "100-continue, other", reading: "100-continue, other"),
        Row(
            "Forwarded", "for=192.0.2.43, FOR=\"[2001:db8::17]:4711\"",
            reading: "for=192.0.2.43, for=[2001:db8::17]:4711"),
        Row("Forwarded", "for=_hidden;proto=http;by=203.0.113.43", reading: "by=203.0.113.43;for=_hidden;proto=http"),
        Row("Forwarded", "for=\"a,b\"; host=\"x\\\"y\"", reading: "for=a,b;host=x\"y"),
        Row("Forwarded", "for=192.0.2.43;for=10.0.0.1", reading: "nil"),
        Row("Forwarded", "for=[2001:db8::17]", reading: "nil"),
        Row("Forwarded", "192.0.2.43", reading: "nil"),
        Row("Forwarded", "x, for=192.0.2.43", reading: "nil, for=192.0.2.43"),
        Row("Forwarded", "for=\"a, b\";by=c, for=192.0.2.43", reading: "by=c;for=a, b, for=192.0.2.43"),
        Row("Forwarded", "\u{0600}\", for=192.0.2.43", reading: "nil, for=192.0.2.43"),
        Row("Forwarded", "for=\", for=192.0.2.43", reading: "nil, for=192.0.2.43"),
        Row("Forwarded", "for=\"a, for=\"192.0.2.43:80\"", reading: "nil, for=192.0.2.43:80"),
        Row("Forwarded", "\"\\\", for=\"192.0.2.43:80\"", reading: "nil, for=192.0.2.43:80"),
        Row("Forwarded", "\"\\", "for=192.0.2.43", reading: "nil, for=192.0.2.43"),
        Row("If-None-Match", "\"a\", W/\"b\"", reading: "a b"),
        Row("If-None-Match", ",\"a,b\",", "\"c\\\"", reading: "a,b c\\"),
        Row("If-None-Match", "\"c\\\", \"d\"", reading: "c\\ d"),
        Row("If-None-Match", "*", reading: "any"),
        Row("If-None-Match", "\"a\", *", reading: "nil"),
        Row("If-None-Match", "w/\"a\"", reading: "nil"),
        Row("If-None-Match", "\"a", reading: "nil"),
        Row("If-None-Match", "\"a b\"", reading: "nil"),
        Row("Prefer", "respond-async, WAIT=10", reading: "respond-async=, wait=10"),
        Row("Prefer", "return = minimal; foo=\"some value\"", "return=representation", reading: "return=minimal"),
        Row("Prefer", "wait=\"\", =x, handling=lenient", reading: "handling=lenient, wait="),
        Row("X-Forwarded-For", "203.0.113.9, 10.0.0.2", reading: "203.0.113.9 10.0.0.2"),
        Row(
            "X-Forwarded-For", " ,203.0.113.9:80 ,, ", "[2001:db8::9]:443", reading: "203.0.113.9:80 [2001:db8::9]:443"),
        Row("X-Forwarded-For", "\"\\\", 203.0.113.9", reading: "\"\\\" 203.0.113.9"),
        Row("X-Forwarded-For", "\u{0600}, 203.0.113.9", reading: "\u{0600} 203.0.113.9"),
        Row("X-Forwarded-For", "a\"b, 203.0.113.9, 10.0.0.2", reading: "a\"b 203.0.113.9 10.0.0.2"),
    ]

    @Test(arguments: rows) func `a field is read as its RFC says`(row: Row) {
        #expect(Self.reading(row.field, row.lines) == row.reading)
    }

    @Test func `every field that the table is about has rows`() {
        let fields = Set(Self.rows.map(\.field))
        #expect(
            fields == [
                "Accept", "Accept-Language", "Authorization", "Connection", "Content-Type", "Expect", "Forwarded",
                "If-None-Match", "Prefer", "X-Forwarded-For",
            ])
    }
}
