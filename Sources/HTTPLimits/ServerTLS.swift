#if TLS
import NIOSSL
#endif

/// The TLS configuration of every server.
package enum ServerTLS {
    /// Cipher suites of TLS 1.2 with authenticated encryption and forward secrecy. TLS 1.3 has no others.
    package static let suites = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ]

    #if TLS
    /// Returns a configuration for TLS 1.2 or later with a certificate chain and its key.
    static func configuration(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) -> TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.cipherSuites = suites.joined(separator: ":")
        return tls
    }
    #endif
}
