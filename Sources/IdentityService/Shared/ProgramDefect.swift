/// A state that this program rules out. Neither the caller nor a repetition can mend it.
///
/// It has no code of its own: a caller gets the answer to any unexpected error, and the log has the description.
struct ProgramDefect: Error, CustomStringConvertible {
    /// What is wrong, without input.
    let description: String

    init(_ description: String) { self.description = description }
}
