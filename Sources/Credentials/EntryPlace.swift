/// Which of the entries of a person an error is about.
public enum EntryPlace: Sendable, Hashable {
    /// The question at this index, counted from 0: its text, or the id that an answer names.
    case question(Int)
    /// The answer at this index, counted from 0.
    case answer(Int)
    case passphrase
}

/// Runs a check of one entry. An error that names no entry gets this one's place.
func placed<Value>(
    _ place: EntryPlace, _ check: () throws(CredentialsError) -> Value
) throws(CredentialsError) -> Value {
    do { return try check() } catch { throw error.placed(at: place) }
}
