#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP port of the loopback address.
enum LocalPort {
    /// Stops before anything is started when somebody else listens on the port.
    static func requireFree(_ port: Int) throws {
        guard (1...65_535).contains(port) else {
            throw CommandFailure(.usage, "\(port) is not a port; ports go from 1 to 65535")
        }
        guard let reason = failureToBind(UInt16(port)) else { return }
        if reason == EACCES {
            throw CommandFailure(
                .notPermitted, "port \(port) is only for root", remedy: "Choose one above 1023: make run PORT=8080")
        }
        throw CommandFailure(
            .unreachable, "port \(port) of 127.0.0.1 is taken by another program",
            remedy:
                "See which: ss -ltnp 'sport = :\(port)'   or choose another port: make run PORT=\(port % 65_535 + 1)")
    }

    /// The error number of an attempt to listen on the port, `nil` when it worked.
    private static func failureToBind(_ port: UInt16) -> Int32? {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As the service does: a connection of the last run that is still fading away does not count.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { return errno }
        return listen(descriptor, 1) == 0 ? nil : errno
    }
}
