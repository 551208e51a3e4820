internal import CContract

/// The OpenAPI document that the program was built with.
package enum Contract {
    /// The bytes of `openapi.yaml`: UTF-8, OpenAPI 3.1. The C constants that they are copied from never change.
    package static let bytes = unsafe [UInt8](UnsafeBufferPointer(start: contract_bytes, count: contract_size))
}
