import { AppError } from '@sheaf/kit/errors'
import fc from 'fast-check'
import { readAddBody } from './add-body'
import { readRowIds } from './row-ids'
import { readUpdateBody } from './update-body'

const bytes = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))

/** Returns the userError of the rejection, or its message if it has none. */
function faultOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error.code).toBe('invalid')
    return error.metadata.userError ?? error.message
  }
  return 'accepted'
}

const NEW = 'Error: body.records[0] is not a NewRecord; '
const CELL =
  '.fields.v is not a CellValue; body.records[0].fields.v is none of number, string, boolean, null, 1 more'

describe('readAddBody', () => {
  it('turns records into columns, null where one leaves out what another has', () => {
    const { rows, columns } = readAddBody(
      bytes({
        records: [
          { fields: { a: 1, b: 'x' } },
          { fields: { b: 'y', c: ['L', 1] } },
          {},
          { fields: {} },
          { id: 5, fields: { c: null, a: true } },
        ],
        other: 1,
      }),
    )
    expect(rows).toBe(5)
    expect([...columns]).toEqual([
      ['a', [1, null, null, null, true]],
      ['b', ['x', 'y', null, null, null]],
      ['c', [null, ['L', 1], null, null, null]],
    ])
  })

  it('reads plain field maps when asked to', () => {
    expect([...readAddBody(bytes([{ a: 1 }, { a: 2 }]), { flat: true }).columns]).toEqual([
      ['a', [1, 2]],
    ])
    expect(faultOf(() => readAddBody(bytes({ records: [{ a: 1 }] }), { flat: true }))).toBe(
      'Error: body is not an array',
    )
    expect(faultOf(() => readAddBody(bytes([{ a: [] }]), { flat: true }))).toContain(
      'body[0].fields.a is not a CellValue',
    )
  })

  it.each<[unknown, string]>([
    [{ records: [] }, `${NEW}body.records[0] is not an object`],
    [{}, 'Error: body.records is missing'],
    [[{ fields: {} }], 'Error: body.records is missing'],
    [null, 'Error: body is not an object'],
    [{ records: 'x' }, 'Error: body.records is not an array'],
    [{ records: [1] }, `${NEW}body.records[0] is not an object`],
    [{ records: [{}, { a: 1 }] }, 'Error: body.records[1] has no fields; put a into it'],
    [
      { records: [{ id: 1, a: 1, b: 2, c: 3, d: 4, e: 5 }] },
      'Error: body.records[0] has no fields; put id, a, b, c, d, … into it',
    ],
    [{ records: [{ fields: 'x' }] }, `${NEW}body.records[0].fields is not an object`],
    [
      { records: [{ fields: { v: ['a', 'b'] } }] },
      `${NEW}body.records[0]${CELL}; body.records[0].fields.v[0] is not a GristObjCode; body.records[0].fields.v[0] is not a valid enum value`,
    ],
    [
      { records: [{ fields: { v: [] } }] },
      `${NEW}body.records[0]${CELL}; body.records[0].fields.v[0] is not a GristObjCode; body.records[0].fields.v[0] is not a valid enum value`,
    ],
    [{ records: [{ fields: { v: { a: 1 } } }] }, `${NEW}body.records[0]${CELL}`],
    [
      { records: [{ fields: {} }, null] },
      'Error: body.records[1] is not a NewRecord; body.records[1] is not an object',
    ],
  ])('refuses %j', (body, fault) => {
    expect(faultOf(() => readAddBody(bytes(body)))).toBe(fault)
  })

  it('accepts nested lists, and bounds their depth', () => {
    expect(readAddBody(bytes({ records: [{ fields: { v: ['L', ['L', 1], 2] } }] })).rows).toBe(1)
    const deep = `{"records":[{"fields":{"v":["L",${'['.repeat(100_000)}${']'.repeat(100_000)}]}}]}`
    expect(faultOf(() => readAddBody(bytes(deep)))).toContain('nested too deeply')
  })

  it('tells where JSON is malformed without quoting it', () => {
    const fault = faultOf(() =>
      readAddBody(bytes('{"records":[{"fields":{"secret":"s3cret" "x"}}]}')),
    )
    expect(fault).toMatch(/^The body is not valid JSON at position \d+$/)
    expect(faultOf(() => readAddBody(bytes('s3cret')))).toBe('The body is not valid JSON')
    expect(faultOf(() => readAddBody(bytes('')))).toContain('The body is not valid JSON')
  })

  it('refuses ill-formed Unicode in values, names and bytes', () => {
    const fault = 'The body contains text that is not well-formed Unicode'
    expect(faultOf(() => readAddBody(bytes('{"records":[{"fields":{"a":"\\ud800"}}]}')))).toBe(
      fault,
    )
    expect(
      faultOf(() => readAddBody(bytes('{"records":[{"fields":{"a":["L","x\\uDC00"]}}]}'))),
    ).toBe(fault)
    expect(faultOf(() => readAddBody(bytes('{"records":[{"fields":{"\\ud800":1}}]}')))).toBe(fault)
    expect(
      faultOf(() => readAddBody(Buffer.from('{"records":[{"fields":{"a":"\xff"}}]}', 'latin1'))),
    ).toBe(fault)
    expect(
      readAddBody(bytes('{"records":[{"fields":{"a":"\\ud83d\\ude00"}}]}')).columns.get('a'),
    ).toEqual(['😀'])
  })

  it('treats names such as __proto__ as any other', () => {
    const { columns } = readAddBody(
      bytes('{"__proto__":{"records":1},"records":[{"fields":{"__proto__":1,"constructor":2}}]}'),
    )
    expect([...columns]).toEqual([
      ['__proto__', [1]],
      ['constructor', [2]],
    ])
    expect(faultOf(() => readAddBody(bytes('{"__proto__":{"records":[{}]}}')))).toBe(
      'Error: body.records is missing',
    )
    expect(({} as Record<string, unknown>).records).toBeUndefined()
  })
})

describe('readUpdateBody', () => {
  it('turns records into ids and columns, whatever the order of their keys', () => {
    const { ids, columns } = readUpdateBody(
      bytes({
        records: [
          { id: 3, fields: { a: 1, b: 2 } },
          { id: 3, fields: { b: 4, a: 3 } },
        ],
      }),
    )
    expect(ids).toEqual([3, 3])
    expect([...columns]).toEqual([
      ['a', [1, 3]],
      ['b', [2, 4]],
    ])
    expect(readUpdateBody(bytes({ records: [{ id: 1, fields: {} }] })).columns.size).toBe(0)
  })

  it.each<[unknown, string]>([
    [
      { records: [{ id: 'x', fields: {} }] },
      'Error: body.records[0] is not a Record; body.records[0].id is not a number',
    ],
    [
      { records: [{ fields: {} }] },
      'Error: body.records[0] is not a Record; body.records[0].id is missing',
    ],
    [
      { records: [{ id: 1 }] },
      'Error: body.records[0] is not a Record; body.records[0].fields is missing',
    ],
    [{ records: [] }, 'Error: body.records[0] is not a Record; body.records[0] is not an object'],
    [{ records: [{ id: 1.5, fields: {} }] }, 'Invalid row id 1.5'],
    [
      {
        records: [
          { id: 1, fields: { a: 1 } },
          { id: 2, fields: { b: 1 } },
        ],
      },
      'PATCH requires all records to have same fields',
    ],
    [
      {
        records: [
          { id: 1, fields: { a: 1 } },
          { id: 2, fields: {} },
        ],
      },
      'PATCH requires all records to have same fields',
    ],
    [
      {
        records: [
          { id: 1, fields: {} },
          { id: 2, fields: { a: 1 } },
        ],
      },
      'PATCH requires all records to have same fields',
    ],
    [
      {
        records: [
          { id: 1, fields: { a: 1 } },
          { id: 2, fields: { a: 1, b: 1 } },
        ],
      },
      'PATCH requires all records to have same fields',
    ],
  ])('refuses %j', (body, fault) => {
    expect(faultOf(() => readUpdateBody(bytes(body)))).toBe(fault)
  })
})

describe('readRowIds', () => {
  it('takes any whole numbers', () => {
    expect(readRowIds(bytes([1, 1, -5, 0]))).toEqual([1, 1, -5, 0])
    expect(readRowIds(bytes([]))).toEqual([])
  })

  it.each<[unknown, string]>([
    [['1'], 'Error: body[0] is not a row id'],
    [[1, 1.5], 'Error: body[1] is not a row id'],
    [[null], 'Error: body[0] is not a row id'],
    [{ ids: [1] }, 'Error: body is not an array'],
  ])('refuses %j', (body, fault) => {
    expect(faultOf(() => readRowIds(bytes(body)))).toBe(fault)
  })
})

describe('a body of any content', () => {
  const record = fc.record(
    {
      id: fc.anything(),
      fields: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    },
    { requiredKeys: [] },
  )
  const body = fc.oneof(
    fc.jsonValue(),
    fc.array(record).map((records) => ({ records })),
  )

  it('is read or refused with an AppError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          body.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
          fc.uint8Array(),
        ),
        (json) => {
          for (const read of [readAddBody, readUpdateBody, readRowIds]) faultOf(() => read(json))
        },
      ),
      { numRuns: 500 },
    )
  })
})
