import Canonical

/// Where and why a text was refused; nil when it was read.
func refusal(_ text: String, canonical: Bool = false) -> JSONError? { refusal(Array(text.utf8), canonical: canonical) }

func refusal(
    _ bytes: [UInt8], canonical: Bool = false, limits: StrictJSON.Limits = StrictJSON.Limits()
) -> JSONError? {
    do throws(JSONError) {
        _ = try canonical ? CanonicalJSON.parse(bytes, limits: limits) : StrictJSON.parse(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

func canonicalText(_ value: JSONValue) -> String { String(decoding: value.canonicalBytes(), as: UTF8.self) }

/// SplitMix64: the same values in every run, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
