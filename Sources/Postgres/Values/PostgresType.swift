/// A type of the server, by its object id (`pg_type.oid` of the built-in types, which never change).
public struct PostgresType: RawRepresentable, Sendable, Hashable {
    /// The object id.
    public let rawValue: UInt32
    /// Wraps an object id.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `boolean`
    public static let bool = PostgresType(rawValue: 16)
    /// `bytea`
    public static let bytea = PostgresType(rawValue: 17)
    /// `name`: text of at most 63 bytes, used by the system catalogues.
    public static let name = PostgresType(rawValue: 19)
    /// `bigint`
    public static let int8 = PostgresType(rawValue: 20)
    /// `smallint`
    public static let int2 = PostgresType(rawValue: 21)
    /// `integer`
    public static let int4 = PostgresType(rawValue: 23)
    /// `text`
    public static let text = PostgresType(rawValue: 25)
    /// `json`
    public static let json = PostgresType(rawValue: 114)
    /// `varchar`
    public static let varchar = PostgresType(rawValue: 1043)
    /// `timestamptz`
    public static let timestamptz = PostgresType(rawValue: 1184)
    /// `uuid`
    public static let uuid = PostgresType(rawValue: 2950)
    /// `jsonb`
    public static let jsonb = PostgresType(rawValue: 3802)

    /// `json[]`
    static let jsonArray = PostgresType(rawValue: 199)
    /// `boolean[]`
    static let boolArray = PostgresType(rawValue: 1000)
    /// `bytea[]`
    static let byteaArray = PostgresType(rawValue: 1001)
    /// `name[]`
    static let nameArray = PostgresType(rawValue: 1003)
    /// `smallint[]`
    static let int2Array = PostgresType(rawValue: 1005)
    /// `integer[]`
    static let int4Array = PostgresType(rawValue: 1007)
    /// `text[]`
    static let textArray = PostgresType(rawValue: 1009)
    /// `varchar[]`
    static let varcharArray = PostgresType(rawValue: 1015)
    /// `bigint[]`
    static let int8Array = PostgresType(rawValue: 1016)
    /// `timestamptz[]`
    static let timestamptzArray = PostgresType(rawValue: 1185)
    /// `uuid[]`
    static let uuidArray = PostgresType(rawValue: 2951)
    /// `jsonb[]`
    static let jsonbArray = PostgresType(rawValue: 3807)

    /// The type of the elements; nil when this is no array of the closed list.
    var element: PostgresType? { Self.elements[self] }
    /// The array of this type; nil when it is outside the closed list.
    var array: PostgresType? { Self.arrays[self] }

    private static let arrays: [PostgresType: PostgresType] = [
        .bool: .boolArray, .bytea: .byteaArray, .name: .nameArray, .int8: .int8Array, .int2: .int2Array,
        .int4: .int4Array, .text: .textArray, .json: .jsonArray, .varchar: .varcharArray,
        .timestamptz: .timestamptzArray, .uuid: .uuidArray, .jsonb: .jsonbArray,
    ]
    private static let elements = Dictionary(uniqueKeysWithValues: arrays.map { ($1, $0) })
}
