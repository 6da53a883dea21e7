import type { ColumnSchema, ColumnType, TableSchema } from './document-schema'

/** Describes the `fields` of a record of a table, as read, by JSON Schema 2020-12. */
export function describeFields({ id, columns }: TableSchema): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: id,
    type: 'object',
    properties: Object.fromEntries(columns.map((column) => [column.id, describeColumn(column)])),
    additionalProperties: false,
  }
}

function describeColumn({ type, label, description, isComputed }: ColumnSchema): object {
  return {
    ...(label !== '' && { title: label }),
    ...(description !== '' && { description }),
    ...(isComputed && { readOnly: true }),
    ...describeType(type, isComputed),
  }
}

/** The cell of a formula that fails reads as null. */
function describeType(type: ColumnType, isComputed: boolean): object {
  switch (type.kind) {
    case 'boolean':
      return { type: isComputed ? ['boolean', 'null'] : 'boolean' }
    case 'choice':
      return describeChoice(type.choices)
    case 'choiceList':
      return listOf(type.choices.length === 0 ? { type: 'string' } : { enum: type.choices })
    case 'reference':
      return { type: isComputed ? ['integer', 'null'] : 'integer', minimum: 0 }
    case 'referenceList':
      return listOf({ type: 'integer', minimum: 1 })
    default:
      return plainTypes[type.kind]
  }
}

const plainTypes = {
  text: { type: ['string', 'null'] },
  number: { type: ['number', 'null'] },
  integer: { type: ['integer', 'null'] },
  date: { type: ['number', 'null'] },
  any: {},
}

function describeChoice(choices: readonly string[]): object {
  return choices.length === 0 ? plainTypes.text : { enum: [...new Set(['', ...choices]), null] }
}

const listOf = (items: object) => ({
  type: ['array', 'null'],
  prefixItems: [{ const: 'L' }],
  items,
})
