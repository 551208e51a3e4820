@testable import APIReference

/// A small contract with everything that the page treats differently.
enum SampleContract {
    static let text = """
        openapi: 3.1.0
        info: {title: Things, version: "2", summary: Keeps things., description: "See `makeThing` and `thing.unknown`."}
        tags: [{name: things, x-displayName: All things, description: "Things."}]
        paths:
          /v1/things:
            get:
              operationId: listThings
              tags: [things]
              summary: List things
              security: [{}]
              parameters:
                - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 200, default: 50}}
                - {name: kind, in: query, required: true, example: "a b", schema: {type: string}}
              responses:
                "200":
                  description: Things.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Thing"}}
            post:
              operationId: makeThing
              tags: [things]
              summary: Make a thing
              x-callers: [app:ACCESS, securityAdmin]
              security: [{app: []}, {employee: []}]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/Thing"}
                    examples: {Sole: {value: {name: "Ada's", parts: []}}, Full: {value: {name: "$x", size: 3}}}
              responses:
                "201":
                  description: Made.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}, example: {name: x}}}
          /v1/things/{thingId}:
            parameters: [{$ref: "#/components/parameters/ThingId"}]
            delete:
              operationId: endThing
              tags: [others]
              summary: End a thing
              security: [{employee: []}]
              responses:
                "204": {description: Ended.}
                "404":
                  description: There is none.
                  content:
                    application/problem+json:
                      schema: {$ref: "#/components/schemas/Problem"}
                      examples: {thing.unknown: {value: {code: thing.unknown, status: 404}}}
        components:
          securitySchemes:
            app: {type: http, scheme: basic, description: An app.}
            employee: {type: http, scheme: bearer, description: An employee.}
          parameters:
            ThingId: {name: thingId, in: path, required: true, schema: {type: string}}
          schemas:
            Thing:
              description: A thing.
              allOf: [{$ref: "#/components/schemas/Named"}]
              additionalProperties: false
              properties:
                size: {type: [integer, "null"], minimum: 1}
                color: {type: string, enum: [red, green]}
                owner: {$ref: "#/components/schemas/Thing", description: "Whose it is."}
                parts: {type: array, maxItems: 3, items: {type: object, properties: {number: {const: 7}}}}
            Named:
              type: object
              required: [name]
              properties: {name: {type: string, minLength: 1}, size: {type: string}}
            Choice: {oneOf: [{$ref: "#/components/schemas/Thing"}, {$ref: "#/components/schemas/Problem"}]}
            Problem:
              type: object
              required: [code]
              properties: {code: {$ref: "#/components/schemas/Code"}, codes: {type: array, items: {$ref: "#/components/schemas/Code"}}}
            Code: {type: string, x-known-values: [thing.unknown, thing.known]}
        """

    /// The contract, read.
    static func read() throws -> ReferenceContract { try ReferenceContract(ContractValue(yaml: Array(text.utf8))) }

    /// The operation with an id.
    static func operation(_ id: String) throws -> ReferenceOperation? {
        try read().groups.flatMap(\.operations).first { $0.id == id }
    }
}
