import Foundation

/// One registration or login of the callback layer: who is to be told next, and what can be called next.
///
/// `@unchecked Sendable`: `phase` and `task` are read and written only while `lock` is held.
final class CallbackFlow: @unchecked Sendable {
    /// What the person has been asked for.
    enum Question: Sendable {
        case credentials(SetCredentialsStep)
        case answers(AnswersStep)
        case passphrase(PassphraseStep)
    }

    private enum Phase {
        /// A call is at work; its callbacks are next.
        case working(FlowEnding, question: Question?)
        /// The app was asked; the next call brings callbacks of its own.
        case asked(Question)
        case ended
    }

    private let lock = NSLock()
    /// The callbacks of the call that began the flow. They are used when no continuing call is at work.
    private let beginning: FlowEnding
    private var phase: Phase
    private var task: Task<Void, Never>?

    init(_ beginning: FlowEnding) {
        self.beginning = beginning
        phase = .working(beginning, question: nil)
    }

    /// Runs a call of this flow. Cancelling the flow cancels it.
    func run(_ work: @Sendable @escaping (CallbackFlow) async -> Void) {
        lock.withLock {
            if case .ended = phase { return }
            task = Task { await work(self) }
        }
    }

    /// Notes that the app is asked now; `false` when the flow has ended meanwhile, and nothing is to be asked.
    func ask(_ question: Question) -> Bool {
        lock.withLock {
            guard case .working = phase else { return false }
            phase = .asked(question)
            return true
        }
    }

    /// Hands the open question to a continuing call, whose callbacks are next from now on.
    func take(_ ending: FlowEnding) -> Question? {
        lock.withLock {
            guard case .asked(let question) = phase else { return nil }
            phase = .working(ending, question: question)
            return question
        }
    }

    /// Ends the call at work with its result.
    ///
    /// - Returns: The callbacks to use; `nil` when the flow has ended meanwhile and they were used already.
    func end(_ result: Result<FlowOutcome, TenureClientError>) -> FlowEnding? {
        lock.withLock {
            guard case .working(let ending, let question) = phase else { return nil }
            if case .failure(let error) = result, error.leavesFlowOpen, let question {
                phase = .asked(question)
            } else {
                phase = .ended
            }
            return ending
        }
    }

    /// Ends the flow before its outcome: whoever is next is told that it was cancelled.
    func cancel() {
        let (ending, running) = lock.withLock { () -> (FlowEnding?, Task<Void, Never>?) in
            let ending: FlowEnding? =
                switch phase {
                case .working(let ending, _): ending
                case .asked: beginning
                case .ended: nil
                }
            phase = .ended
            return (ending, task)
        }
        running?.cancel()
        guard let ending else { return }
        Task { await ending.report(.failure(TenureClientError(.cancelled))) }
    }
}
