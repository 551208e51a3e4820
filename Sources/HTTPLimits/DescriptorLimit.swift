import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file descriptors that this process may have open.
package struct DescriptorLimit: Sendable, Equatable {
    /// The limit before it was raised, which child processes get.
    package var before: Int
    /// The limit that holds now.
    package var soft: Int
    /// The highest limit that the process may set itself.
    package var hard: Int

    /// As many descriptors as the largest service needs. More would only make `close` loops of children slower.
    package static let wanted = 65_536
    /// The descriptors beside connections at least: logs, event loops, timers, key files, mails and D-TAs.
    package static let reserve = 128

    /// The limit that child processes get: the one before it was raised; `nil` if it was not.
    ///
    /// Some programs set aside memory for each possible descriptor, or use `select`, which knows 1,024.
    package static var ofChildren: Int? { original.withLock { $0 } }
    private static let original = Mutex<Int?>(nil)

    /// Raises the limit to the smaller of the hard limit and 65,536. It is never lowered.
    ///
    /// If the system refuses, the limit stays, and the numbers say so.
    package static func raise() -> DescriptorLimit {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0 else {
            return DescriptorLimit(before: 1_024, soft: 1_024, hard: 1_024)
        }
        let before = number(limit.rlim_cur), hard = number(limit.rlim_max)
        let target = min(hard, wanted)
        guard target > before else { return DescriptorLimit(before: before, soft: before, hard: hard) }
        limit.rlim_cur = rlim_t(target)
        let isRaised = setrlimit(Self.resource, &limit) == 0
        if isRaised { original.withLock { $0 = $0 ?? before } }
        return DescriptorLimit(before: before, soft: isRaised ? target : before, hard: hard)
    }

    /// The connections that may be open at once, when `others` descriptors serve other things than connections.
    ///
    /// At least 16 are admitted, or nothing could ask the service.
    package func connections(wanted: Int, others: Int) -> Int {
        max(16, min(wanted, soft - Self.reserve - others))
    }

    /// The limit that holds at this moment.
    package static var current: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        return number(limit.rlim_cur)
    }

    private static func number(_ limit: rlim_t) -> Int { Int(clamping: limit) }

    #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
    private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}
