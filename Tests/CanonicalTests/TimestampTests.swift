import Canonical
import Testing

@Suite struct `Timestamps` {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00.000000Z", 0), ("1969-12-31T23:59:59.999999Z", -1),
            ("0001-01-01T00:00:00.000000Z", -62_135_596_800_000_000),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
            ("2000-02-29T12:34:56.789012Z", 951_827_696_789_012),
            ("2038-01-19T03:14:08.000000Z", 2_147_483_648_000_000),
            ("1900-03-01T00:00:00.000000Z", -2_203_891_200_000_000),
            ("2024-02-29T00:00:00.000001Z", 1_709_164_800_000_001),
            ("1582-10-15T00:00:00.000000Z", -12_219_292_800_000_000),
        ] as [(String, Int64)])
    func `known times round-trip`(text: String, microseconds: Int64) throws {
        #expect(try #require(Timestamp(text)).microseconds == microseconds)
        #expect(Timestamp(microseconds: microseconds).description == text)
    }

    @Test func `every day of 400 years follows the day before`() throws {
        var day = try #require(Timestamp("1800-01-01T00:00:00.000000Z"))
        var previous = ""
        var lengths: [Substring: Int] = [:]
        for _ in 0..<146_097 {
            let date = String(day.description.prefix(10))
            if date <= previous {
                Issue.record("\(date) after \(previous)")
                break
            }
            previous = date
            lengths[date.suffix(2), default: 0] += 1
            day = Timestamp(microseconds: day.microseconds + 86_400_000_000)
        }
        // 97 of the years are leap years; of the months, eleven have a 30th and seven a 31st.
        #expect(previous == "2199-12-31")
        #expect(lengths["01"] == 400 * 12)
        #expect(lengths["29"] == 400 * 11 + 97)
        #expect(lengths["30"] == 400 * 11)
        #expect(lengths["31"] == 400 * 7)
        #expect(lengths.count == 31)
    }

    @Test func `February and the year end correctly in every year`() throws {
        for year in 1...9_999 {
            let digits = String(year)
            let name = String(repeating: "0", count: 4 - digits.count) + digits
            let leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
            #expect((Timestamp("\(name)-02-29T00:00:00.000000Z") != nil) == leap)
            let march = try #require(Timestamp("\(name)-03-01T00:00:00.000000Z"))
            let before = Timestamp(microseconds: march.microseconds - 1)
            #expect(before.description == "\(name)-02-\(leap ? 29 : 28)T23:59:59.999999Z")
            let end = try #require(Timestamp("\(name)-12-31T23:59:59.999999Z"))
            let next = Timestamp(microseconds: end.microseconds + 1)
            #expect(year == 9_999 ? next == end : next.description.hasSuffix("-01-01T00:00:00.000000Z"))
        }
    }

    @Test func `random instants round-trip through text and keep their order`() throws {
        var generator = SeededGenerator(seed: 1970)
        let range = Timestamp.earliest.microseconds...Timestamp.latest.microseconds
        for _ in 0..<20_000 {
            let a = Timestamp(microseconds: Int64.random(in: range, using: &generator))
            let b = Timestamp(microseconds: Int64.random(in: range, using: &generator))
            #expect(Timestamp(a.description) == a)
            #expect((a < b) == (a.description < b.description))
        }
    }

    @Test(arguments: [
        "", "2023-02-29T00:00:00.000000Z", "1900-02-29T00:00:00.000000Z", "2100-02-29T00:00:00.000000Z",
        "2024-02-30T00:00:00.000000Z", "2024-04-31T00:00:00.000000Z", "2024-00-01T00:00:00.000000Z",
        "2024-13-01T00:00:00.000000Z", "2024-01-00T00:00:00.000000Z", "2024-01-32T00:00:00.000000Z",
        "0000-01-01T00:00:00.000000Z", "2024-01-01T24:00:00.000000Z", "2024-01-01T00:60:00.000000Z",
        "2016-12-31T23:59:60.000000Z", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z",
        "2024-01-01T00:00:00.0000000Z", "2024-01-01T00:00:00.00000Z", "2024-01-01t00:00:00.000000Z",
        "2024-01-01T00:00:00.000000z", "2024-01-01 00:00:00.000000Z", "2024-01-01T00:00:00,000000Z",
        "2024-01-01T00:00:00.000000+00:00", "+024-01-01T00:00:00.000000Z", "-001-01-01T00:00:00.000000Z",
        "10000-01-01T00:00:00.000000Z", " 2024-01-01T00:00:00.000000Z", "2024-01-01T00:00:00.000000Z\n",
        "2024-1-001T00:00:00.000000Z", "٢٠٢٤-01-01T00:00:00.00Z", "2024-01-01T00:00:00.00000oZ",
        "20240101T000000.000000000Z",
    ])
    func `anything else is refused`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `adding a duration stays within the bounds`() {
        let start = Timestamp(microseconds: 1_000)
        #expect(start.adding(.seconds(120)).microseconds == 120_001_000)
        #expect(start.adding(.seconds(-120)).microseconds == -119_999_000)
        #expect(start.adding(.nanoseconds(1_999)).microseconds == 1_001)
        #expect(start.adding(.milliseconds(-2)).microseconds == -1_000)
        #expect(start.adding(.seconds(Int64.max)) == .latest)
        #expect(start.adding(.seconds(Int64.min)) == .earliest)
        #expect(Timestamp.latest.adding(.microseconds(1)) == .latest)
        #expect(Timestamp.earliest.adding(.microseconds(-1)) == .earliest)
        #expect(start.adding(.seconds(9_223_372_036_854)) == .latest)
        #expect(start.adding(.seconds(90)).duration(since: start) == .seconds(90))
        #expect(Timestamp(microseconds: .max).description == "9999-12-31T23:59:59.999999Z")
        #expect(Timestamp(microseconds: .min).description == "0001-01-01T00:00:00.000000Z")
    }

    @Test func `the current time lies in this century`() throws {
        let now = Timestamp.now()
        #expect(try now > #require(Timestamp("2025-01-01T00:00:00.000000Z")))
        #expect(try now < #require(Timestamp("2100-01-01T00:00:00.000000Z")))
        #expect(Timestamp.now() >= now)
    }
}
