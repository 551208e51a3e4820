extension Timestamp: CustomStringConvertible {
    /// Reads exactly `YYYY-MM-DDThh:mm:ss.ffffffZ`, in the years 0001 to 9999; nil for anything else.
    ///
    /// One instant has one text: no other precision, no offset, no lower case, no leap second, no hour 24.
    public init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    /// The same from the characters of the text.
    public init?(utf8 characters: ArraySlice<UInt8>) {
        guard characters.count == Self.pattern.utf8.count, Self.hasForm(characters) else { return nil }
        func number(_ range: Range<Int>) -> Int64 {
            var number: Int64 = 0
            for index in range { number = number * 10 + Int64(characters[characters.startIndex + index] & 0x0F) }
            return number
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard year >= 1, (1...12).contains(month), day >= 1, day <= Self.days(month: month, year: year),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = Self.days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
        self.init(microseconds: seconds * 1_000_000 + number(20..<26))
    }

    private static let pattern = "0000-00-00T00:00:00.000000Z"

    /// Whether digits and marks are where they have to be.
    private static func hasForm(_ characters: ArraySlice<UInt8>) -> Bool {
        zip(characters, pattern.utf8).allSatisfy { character, expected in
            expected == UInt8(ascii: "0")
                ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) : character == expected
        }
    }

    /// The text `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public var description: String { String(decoding: utf8, as: UTF8.self) }

    /// The 27 bytes of the text.
    public var utf8: [UInt8] {
        let second = Self.floorDivide(microseconds, 1_000_000)
        let day = Self.floorDivide(second, 86_400)
        let within = second - day * 86_400
        let (year, month, date) = Self.date(days: day)
        var text: [UInt8] = []
        text.reserveCapacity(27)
        func append(_ number: Int64, from unit: Int64, _ end: Unicode.Scalar) {
            var unit = unit
            while unit > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
                unit /= 10
            }
            text.append(UInt8(ascii: end))
        }
        append(year, from: 1_000, "-")
        append(month, from: 10, "-")
        append(date, from: 10, "T")
        append(within / 3_600, from: 10, ":")
        append(within / 60 % 60, from: 10, ":")
        append(within % 60, from: 10, ".")
        append(microseconds - second * 1_000_000, from: 100_000, "Z")
        return text
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    private static func days(month: Int64, year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days from 1970-01-01 of a date from the year 1 on.
    ///
    /// Years are counted from March, so that the leap day is the last of a year and months have closed forms.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    /// The date of a day counted from 1970-01-01, from the year 1 on: the inverse, by 400-year eras.
    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
    }
}
