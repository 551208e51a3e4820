#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An instant of UTC in whole microseconds, between the years 0001 and 9999 of the Gregorian calendar.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let microseconds: Int64

    /// 0001-01-01T00:00:00.000000Z.
    public static let earliest = Timestamp(microseconds: .min)
    /// 9999-12-31T23:59:59.999999Z.
    public static let latest = Timestamp(microseconds: .max)

    /// An instant. One outside ``earliest`` and ``latest`` becomes that bound, so that every value has a text.
    public init(microseconds: Int64) {
        self.microseconds = min(max(microseconds, -62_135_596_800_000_000), 253_402_300_799_999_999)
    }

    /// The time of the system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// Returns this instant moved by a duration, which may be negative. It drops fractions of a microsecond and keeps
    /// the bounds.
    public func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, exceeded) = scaled.addingReportingOverflow(microseconds)
        if overflow || exceeded { return seconds < 0 ? .earliest : .latest }
        let (total, beyond) = sum.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        if beyond { return sum < 0 ? .earliest : .latest }
        return Timestamp(microseconds: total)
    }

    /// Returns how much later this instant is than another, negative if it is earlier.
    public func duration(since other: Timestamp) -> Duration {
        .microseconds(microseconds - other.microseconds)
    }

    /// Whether the first instant is before the second.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}

extension Timestamp: CustomStringConvertible {
    /// Parses exactly `YYYY-MM-DDThh:mm:ss.ffffffZ`, in the years 0001 to 9999. Returns `nil` for anything else.
    ///
    /// Every instant has exactly one text: no other precision, no offset, no lower case, no leap second, no hour 24.
    public init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    /// Parses the bytes of such a text.
    public init?(utf8 characters: ArraySlice<UInt8>) {
        guard characters.count == Self.pattern.count, Self.hasForm(characters) else { return nil }
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

    private static let pattern = Array("0000-00-00T00:00:00.000000Z".utf8)

    /// Whether digits and punctuation are in the right places.
    private static func hasForm(_ characters: ArraySlice<UInt8>) -> Bool {
        zip(characters, pattern).allSatisfy { character, expected in
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
