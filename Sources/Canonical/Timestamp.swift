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

    /// Makes an instant; one outside ``earliest`` and ``latest`` becomes that bound, so that every value has a text.
    public init(microseconds: Int64) {
        self.microseconds = min(max(microseconds, -62_135_596_800_000_000), 253_402_300_799_999_999)
    }

    /// The time of the system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// This instant moved by a duration, which may be negative; parts of a microsecond are dropped and bounds kept.
    public func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, exceeded) = scaled.addingReportingOverflow(microseconds)
        if overflow || exceeded { return seconds < 0 ? .earliest : .latest }
        let (total, beyond) = sum.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        if beyond { return sum < 0 ? .earliest : .latest }
        return Timestamp(microseconds: total)
    }

    /// How much later this instant is than another; negative when it is earlier.
    public func duration(since other: Timestamp) -> Duration {
        .microseconds(microseconds - other.microseconds)
    }

    /// Whether the first instant is before the second.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
