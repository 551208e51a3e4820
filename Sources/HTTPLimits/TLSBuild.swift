/// Whether the servers of this program can speak TLS: the package trait `TLS`, without which it builds faster.
///
/// Such a program serves this machine only: it refuses certificates, and every address that is not loopback.
package enum TLSBuild {
    package static let isEnabled: Bool = {
        #if TLS
        true
        #else
        false
        #endif
    }()

    /// Why a certificate or an address is refused.
    package static let reason = "this program was built without TLS"
    /// What to do then.
    package static let remedy = "Build one that has it: make install, or swift build -c release."
}
