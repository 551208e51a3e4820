import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Switches the terminal's echo off and guarantees that it is restored.
///
/// `@unchecked Sendable`: everything but `isRestored` is constant after `init`, and `isRestored` is accessed only while
/// `lock` is held.
final class TerminalGuard: @unchecked Sendable {
    /// The signals that would leave a terminal without echo.
    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private let lock = NSLock()
    private let before: termios
    private let hidden: Bool
    private let prompt: String
    private var sources: [any DispatchSourceSignal] = []
    private var handlers: [(number: Int32, action: sigaction)] = []
    private var isRestored = false
    private let registrations = DispatchGroup()

    /// Writes the prompt and switches the echo off.
    ///
    /// - Parameter wake: Signalled when a signal ends the reading.
    init(hidden: Bool, prompt: String, wake: WakePipe) throws {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { throw TenureClientError(.promptUnavailable) }
        self.before = before
        self.hidden = hidden
        self.prompt = prompt
        if hidden {
            for number in Self.ending {
                watch(number) { [weak self] isDefault in
                    self?.restore()
                    // The signal was held back for the terminal's sake and now takes its default action. If the program
                    // watches it too, the program has been told, and the reading ends as cancelled.
                    if isDefault { Self.deliver(number) } else { wake.signal() }
                }
            }
            watch(SIGTSTP) { [weak self] _ in self?.pause() }
            // A signal that arrives before its source is registered would be lost. This thread belongs to the reader.
            _ = registrations.wait(timeout: .now() + 2)
        }
        begin()
    }

    /// Restores the echo and the previous signal handling.
    func restore() {
        lock.withLock {
            guard !isRestored else { return }
            isRestored = true
            var before = before
            if hidden {
                tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
                // The line end that the person typed was not echoed either.
                write("\n")
            }
            for source in sources { source.cancel() }
            for (number, action) in handlers {
                var action = action
                sigaction(number, &action, nil)
            }
        }
    }

    private func begin() {
        if hidden {
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            // Discards input that was typed before the question.
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        }
        write(prompt)
    }

    /// Stops the program with the terminal restored, and asks again when the program continues.
    private func pause() {
        lock.withLock {
            guard !isRestored else { return }
            var before = before
            tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
            write("\n")
            // Not SIGTSTP, which is held back here. The program stops at this line.
            kill(getpid(), SIGSTOP)
            begin()
        }
    }

    private func watch(_ number: Int32, _ handler: @Sendable @escaping (_ isDefault: Bool) -> Void) {
        var old = sigaction()
        sigaction(number, nil, &old)
        // Only the default action would end the process before the source is called. Any other action stays:
        // libdispatch may have installed it for another source of the same signal, which would no longer be called.
        let isDefault = Self.isDefault(old)
        if isDefault {
            var held = old
            #if canImport(Darwin)
            held.__sigaction_u.__sa_handler = SIG_IGN
            #else
            held.__sigaction_handler.sa_handler = SIG_IGN
            #endif
            sigaction(number, &held, nil)
        }
        handlers.append((number, old))
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
        source.setEventHandler { handler(isDefault) }
        registrations.enter()
        source.setRegistrationHandler { [registrations] in registrations.leave() }
        source.resume()
        sources.append(source)
    }

    /// Sends a signal to this thread and unblocks it, because libdispatch blocks watched signals.
    private static func deliver(_ number: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        pthread_kill(pthread_self(), number)
    }

    private static func isDefault(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
        action.__sigaction_u.__sa_handler == nil
        #else
        action.__sigaction_handler.sa_handler == nil
        #endif
    }

    private func write(_ text: String) {
        try? FileHandle(fileDescriptor: STDERR_FILENO, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
    }
}
