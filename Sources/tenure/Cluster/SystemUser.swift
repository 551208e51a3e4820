#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A user of the operating system.
struct SystemUser: Sendable, Equatable {
    var name: String
    var uid: UInt32
    var gid: UInt32

    /// Whether it is root.
    var isRoot: Bool { uid == 0 }

    /// The user with this name, when there is one.
    static func named(_ name: String) -> SystemUser? {
        look { getpwnam_r(name, $0, $1, $2, $3) }
    }

    /// The user as whom this process runs; a number without a name (as in some containers) is `nil`.
    static func current() -> SystemUser? {
        look { getpwuid_r(geteuid(), $0, $1, $2, $3) }
    }

    private typealias Entry = UnsafeMutablePointer<passwd>
    private typealias Text = UnsafeMutablePointer<CChar>

    /// Nothing of the entry leaves this function but copies.
    private static func look(
        _ call: (Entry, Text, Int, UnsafeMutablePointer<Entry?>) -> Int32
    ) -> SystemUser? {
        var entry = passwd()
        var found: Entry?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let base = buffer.baseAddress, call(&entry, base, buffer.count, &found) == 0, found != nil,
                let name = entry.pw_name
            else { return nil }
            return SystemUser(name: String(cString: name), uid: entry.pw_uid, gid: entry.pw_gid)
        }
    }
}
