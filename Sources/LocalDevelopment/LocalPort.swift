package import HTTPLimits

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP port on the loopback address.
package enum LocalPort {
    /// Throws if another process listens on the port, before anything is started.
    package static func requireFree(_ port: Int) throws {
        guard (1...65_535).contains(port) else {
            throw DevelopmentFailure(.usage, "\(port) is not a port; use 1 to 65535")
        }
        guard let reason = failureToBind(UInt16(port)) else { return }
        if reason == EACCES {
            throw DevelopmentFailure(
                .notPermitted, "port \(port) is reserved for root", remedy: "Choose one above 1023: make run PORT=8080")
        }
        throw DevelopmentFailure(
            .unreachable, "another program uses port \(port) of 127.0.0.1",
            remedy:
                "Find it with: ss -ltnp 'sport = :\(port)'   or choose another port: make run PORT=\(port % 65_535 + 1)"
        )
    }

    /// Returns the reason why a server could not listen on an address; `nil` if it could. Nothing stays open.
    package static func failureToListen(host: String, port: Int) -> ListenFailure? {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let first = list else { return .addressUnknown }
        defer { freeaddrinfo(first) }
        let info = first.pointee
        let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
        guard descriptor >= 0 else { return ListenFailure(errno: errno) }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 1) == 0 else {
            return ListenFailure(errno: errno)
        }
        return nil
    }

    /// Returns the error number of an attempt to listen on the port; `nil` on success.
    private static func failureToBind(_ port: UInt16) -> Int32? {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As in the service: a lingering connection of the last run does not block the port.
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
