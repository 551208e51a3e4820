import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The right to be the one development service of a state directory, for as long as this value lives. The system takes
/// the lock back when the process ends, however it ends, so a crash leaves nothing to clean up.
final class StateLock: Sendable {
    let descriptor: Int32

    /// Takes the lock, or says who has it.
    init(at path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.notPermitted, "\(path) cannot be opened: \(SecretFile.systemError())")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            let holder = (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { Int($0) }
            throw CommandFailure(
                .busy, "this checkout's service is running already" + (holder.map { " as process \($0)" } ?? ""),
                remedy: "Stop it with Ctrl-C, or give this one a place of its own: make run STATE=… PORT=…")
        }
        self.descriptor = descriptor
        let text = Array(String(getpid()).utf8)
        // Only a help for the message above; the lock is what counts.
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    /// A program that this process starts has a copy of the descriptor until its exec, and closing ours would leave the
    /// lock with it for that moment; unlocking takes it from all copies (flock(2)).
    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
