import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The reason why a server cannot listen on its address.
package enum ListenFailure: Sendable, Equatable {
    /// Another program listens on the port.
    case portTaken
    /// The user may not take the port, because it is reserved for root.
    case portReserved
    /// No network of this machine has the address, or the name has none.
    case addressUnknown

    /// Tells from the error with which a server ended; `nil` if it ended for another reason.
    package init?(_ error: any Error) {
        if error is SocketAddressError {
            self = .addressUnknown
            return
        }
        guard let number = (error as? IOError)?.errnoCode else { return nil }
        self.init(errno: number)
    }

    /// Tells from the number of a failed system call; `nil` if it failed for another reason.
    package init?(errno number: Int32) {
        switch number {
        case EADDRINUSE: self = .portTaken
        case EACCES: self = .portReserved
        case EADDRNOTAVAIL: self = .addressUnknown
        default: return nil
        }
    }
}
