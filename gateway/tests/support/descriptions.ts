interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Described {
  readonly $ref?: string
  readonly name?: string
  readonly description?: string
  readonly schema?: Schema
}

interface Body extends Described {
  readonly headers?: Readonly<Record<string, Described>>
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Operation extends Described {
  readonly operationId: string
  readonly parameters?: readonly Described[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

/** An OpenAPI document, limited to what can have a description. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Body>>
  }
}

/** Returns the places of the document that need a description and have none. */
export function findUndescribed({ paths, components }: OpenApi): string[] {
  return [
    ...Object.entries(components.schemas).flatMap(([name, schema]) => inSchema(name, schema)),
    ...Object.entries(components.responses).flatMap(([name, body]) => inBody(name, body)),
    ...Object.values(paths)
      .flatMap(Object.values<Operation>)
      .flatMap(inOperation),
  ]
}

function inOperation(operation: Operation): string[] {
  const { operationId: id, parameters = [], requestBody, responses } = operation
  return [
    ...inOne(id, operation),
    ...parameters.flatMap((parameter) => inOne(`${id} ${parameter.name}`, parameter)),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      inProperties(`${id} body`, schema),
    ),
    ...Object.entries(responses).flatMap(([status, body]) => inBody(`${id} ${status}`, body)),
  ]
}

function inBody(place: string, body: Body): string[] {
  if (body.$ref !== undefined) return []
  return [
    ...inOne(place, body),
    ...Object.entries(body.headers ?? {}).flatMap(([name, header]) =>
      inOne(`${place} ${name}`, header),
    ),
    ...Object.values(body.content ?? {}).flatMap(({ schema }) => inProperties(place, schema)),
  ]
}

function inOne(place: string, { description, schema }: Described): string[] {
  return (description ?? schema?.description) ? [] : [place]
}

function inSchema(place: string, schema: Schema): string[] {
  if (schema.$ref !== undefined) return []
  return [...(schema.description ? [] : [place]), ...inProperties(place, schema)]
}

function inProperties(place: string, schema: Schema | undefined): string[] {
  if (!schema || schema.$ref !== undefined) return []
  const { properties = {}, items, additionalProperties: more } = schema
  const { anyOf = [], oneOf = [], allOf = [] } = schema
  const parts = [items, typeof more === 'object' ? more : undefined, ...anyOf, ...oneOf, ...allOf]
  return [
    ...Object.entries(properties).flatMap(([name, property]) =>
      inSchema(`${place}.${name}`, property),
    ),
    ...parts.flatMap((part) => inProperties(place, part)),
  ]
}
