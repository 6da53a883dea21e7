import fc from 'fast-check'
import { LogDamaged } from '../store/log/entry-checksum'
import type { Operation } from '../store/log/log'
import type { LogRecord } from '../store/log/record-writer'
import { decodeRecord, encodeRecord } from './record-body'

const bytes = fc.uint8Array({ maxLength: 40 }).map((list) => Buffer.from(list))
const operation = fc.record({
  kind: fc.constant('update_rows' as const),
  table: fc.string(),
  tableRef: fc.nat(),
  rowIds: fc.array(fc.nat(), { maxLength: 3 }),
  columns: fc.constant([]),
})
const entry = fc.record({
  seq: fc.nat(),
  user: fc.nat(),
  keyId: fc.nat(),
  cause: fc.integer({ min: 1, max: 4 }),
  traceparent: fc.string(),
  operations: fc.array<Operation>(operation, { maxLength: 3 }),
})
const reply = fc.record({
  userId: fc.nat(),
  key: fc.string(),
  digest: bytes,
  seq: fc.nat(),
  bytes,
})
const rowIds = fc.array(fc.nat(), { maxLength: 3 })
const due = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), columnRef: fc.nat(), rowIds, seq: fc.nat() }),
  fc.record({
    kind: fc.constant('remove' as const),
    columnRef: fc.nat(),
    rowIds: fc.oneof(rowIds, fc.constant('all' as const)),
  }),
  fc.record({
    kind: fc.constant('author' as const),
    seq: fc.nat(),
    author: fc.record({ userId: fc.nat() }),
  }),
)
const marks = fc.record({ published: fc.nat(), batch: fc.nat() })

const record: fc.Arbitrary<LogRecord> = fc
  .record({
    lsn: fc.nat(),
    time: fc.nat(),
    entry: fc.option(entry, { nil: undefined }),
    reply: fc.option(reply, { nil: undefined }),
    marks: fc.option(marks, { nil: undefined }),
    format: fc.option(fc.nat(), { nil: undefined }),
    due: fc.option(fc.array(due, { maxLength: 3 }), { nil: undefined }),
  })
  .map(({ lsn, time, entry, reply, marks, format, due }) => ({
    lsn,
    time,
    ...(entry && { entry: { ...entry, time } }),
    ...(reply && { reply }),
    ...(marks && { marks }),
    ...(format !== undefined && { format }),
    ...(due && { due }),
  }))

describe('the body of a record', () => {
  it('has everything that the record has', () => {
    fc.assert(fc.property(record, (one) => expect(decodeRecord(encodeRecord(one))).toEqual(one)))
  })

  it('takes the operations as the JSON that they are in the file', () => {
    const entry = { seq: 1, time: 2, user: 3, keyId: 4, cause: 1, traceparent: '' }
    const one = { lsn: 1, time: 2, entry }
    const decoded = decodeRecord(encodeRecord({ ...one, json: '[{"kind":"remove_table"}]' }))
    expect(decoded.entry?.operations).toEqual([{ kind: 'remove_table' }])
  })

  it('has no key when an older release wrote it', () => {
    const entry = { seq: 1, time: 2, user: 3, keyId: 0, cause: 1, traceparent: '' }
    const body = encodeRecord({ lsn: 1, time: 2, entry, json: '[]' })
    expect(body.toString()).not.toContain('keyId')
    expect(decodeRecord(body).entry?.keyId).toBe(0)
  })

  it('is refused when any byte of it has changed, or when it is not whole', () => {
    fc.assert(
      fc.property(record, fc.nat(), fc.integer({ min: 1, max: 255 }), (one, at, change) => {
        const body = encodeRecord(one)
        const index = at % body.length
        const changed = Buffer.from(body)
        changed[index] = (changed[index] ?? 0) ^ change
        expect(() => decodeRecord(changed)).toThrow(LogDamaged)
        expect(() => decodeRecord(body.subarray(0, index))).toThrow(LogDamaged)
      }),
    )
  })
})
