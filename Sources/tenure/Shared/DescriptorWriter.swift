import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes to a file descriptor until everything is written or the system refuses.
struct DescriptorWriter: Sendable {
    let descriptor: Int32

    /// Writes all bytes. If the descriptor does not block and its reader is slow, it waits for the reader.
    ///
    /// - Throws: ``WriteFailure`` with the system's reason. Some of the bytes may be written then.
    func write(_ bytes: some ContiguousBytes) throws(WriteFailure) {
        let failure: Int32? = bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = writeBytes(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    guard waitUntilWritable() else { return errno }
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
        if let failure { throw WriteFailure(number: failure) }
    }

    /// Makes what was written to a regular file durable. Pipes and terminals have no such state.
    ///
    /// - Throws: ``WriteFailure`` if the file cannot hold what was written.
    func sync() throws(WriteFailure) {
        while fsync(descriptor) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, ENOTSUP, EROFS: return
            default: throw WriteFailure(number: errno)
            }
        }
    }

    /// Closes the descriptor. Some file systems report only here that data could not be stored.
    ///
    /// - Throws: ``WriteFailure``.
    func close() throws(WriteFailure) {
        guard closeDescriptor(descriptor) != 0, errno != EINTR else { return }
        throw WriteFailure(number: errno)
    }

    private func waitUntilWritable() -> Bool {
        var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // An error on the descriptor ends the wait too; the next write reports it.
        return poll(&one, 1, -1) >= 0 || errno == EINTR
    }
}

/// The error of a write to a file descriptor.
struct WriteFailure: Error, Equatable {
    /// The error number of the system.
    let number: Int32

    /// The system's reason.
    var reason: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}

// The functions of the system under other names, because the methods above hide them.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// The three standard descriptors of the process.
enum StandardDescriptors {
    /// Prepares the descriptors for a command, before anything else is opened.
    ///
    /// A caller may start the program with a closed descriptor (`>&-`). The next file or connection would then get its
    /// number, and data would be written into it. Such a number is occupied here; writing to it fails. A closed pipe
    /// becomes an error of the write, instead of a signal that ends the process without a word.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            // Input at its end, or an output that cannot be written to.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
