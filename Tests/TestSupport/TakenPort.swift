import Foundation

/// A port of the loopback address that this process listens on.
public final class TakenPort {
    /// The number of the port.
    public let number: Int
    private let descriptor: Int32

    /// Listens on a free port; `nil` if the system has none.
    public init?() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let done = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        guard done else { return nil }
    }

    deinit { close(descriptor) }
}
