/** A record of a document, in the form in which the log holds it. */
export interface StoredRecord {
  readonly lsn: number
  readonly body: Uint8Array
}

/** Records that follow each other in the log of one document, appended together or not at all. */
export interface RecordGroup {
  /** UUID of the document. */
  readonly doc: string
  /** Term of the opening that appends. */
  readonly term: number
  /** At least one; the first follows the latest record of the log. */
  readonly records: readonly StoredRecord[]
  /** True when the log then has entries that NATS has not confirmed. */
  readonly unpublished: boolean
  /** True when formulas then still have to compute cells of the document. */
  readonly pending: boolean
}

/**
 * Appends the groups of several documents, each only if its term is the present one and its first record is the next:
 * then its head moves, and the document is in the answer. A document occurs once.
 */
const APPEND = `
  WITH b AS (
    SELECT * FROM unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[], $5::bool[], $6::bool[])
      t(doc, term, prev, last, unpublished, pending)
  ), m AS (
    UPDATE head h SET lsn = b.last, unpublished = b.unpublished, pending = b.pending FROM b
    WHERE h.doc = b.doc AND h.term = b.term AND h.lsn = b.prev AND NOT h.deleted
    RETURNING h.doc, h.term
  ), i AS (
    INSERT INTO record (doc, lsn, term, body)
    SELECT e.doc, e.lsn, m.term, e.body
    FROM unnest($7::uuid[], $8::int8[], $9::bytea[]) e(doc, lsn, body) JOIN m USING (doc)
  )
  SELECT doc FROM m`

/** Which of the groups are in the log: those whose last record has their term. */
const FIND_APPENDED = `
  SELECT r.doc FROM unnest($1::uuid[], $2::int8[], $3::int8[]) b(doc, term, last)
  JOIN record r ON r.doc = b.doc AND r.lsn = b.last AND r.term = b.term`

/** Which of the documents have heads that no other statement holds. */
const FIND_FREE = `SELECT doc FROM head WHERE doc = ANY ($1::uuid[]) FOR UPDATE SKIP LOCKED`

/** A statement for the driver, prepared under its name. */
interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** The statement that appends these groups; the answer has the documents whose groups were appended. */
export function appendStatement(groups: readonly RecordGroup[]): Statement {
  const records = groups.flatMap(({ doc, records }) => records.map((record) => ({ doc, record })))
  return {
    name: 'append',
    text: APPEND,
    values: [
      groups.map(({ doc }) => doc),
      groups.map(({ term }) => term),
      groups.map((group) => firstOf(group) - 1),
      groups.map(lastOf),
      groups.map(({ unpublished }) => unpublished),
      groups.map(({ pending }) => pending),
      records.map(({ doc }) => doc),
      records.map(({ record }) => record.lsn),
      encodeByteArrays(records.map(({ record }) => record.body)),
    ],
  }
}

/** The statement that finds which of these groups are in the log; the answer has their documents. */
export function findStatement(groups: readonly RecordGroup[]): Statement {
  return {
    name: 'find_appended',
    text: FIND_APPENDED,
    values: [groups.map(({ doc }) => doc), groups.map(({ term }) => term), groups.map(lastOf)],
  }
}

/** The statement whose answer has those of the documents that no other statement is changing. */
export function freeStatement(docs: readonly string[]): Statement {
  return { name: 'find_free', text: FIND_FREE, values: [docs] }
}

const firstOf = ({ records }: RecordGroup) => records[0]?.lsn ?? 0
const lastOf = ({ records }: RecordGroup) => records.at(-1)?.lsn ?? 0

const BYTEA = 17
const HEADER_BYTES = 20

/**
 * `bytea[]` in PostgreSQL's binary form, which the driver sends as it is; its own form of an array would be
 * hexadecimal text, twice as long.
 */
export function encodeByteArrays(values: readonly Uint8Array[]): Buffer {
  const size = values.reduce((sum, { length }) => sum + 4 + length, HEADER_BYTES)
  const bytes = Buffer.allocUnsafe(size)
  // One dimension without nulls, its length, and the index of its first element.
  let at = 0
  for (const field of [1, 0, BYTEA, values.length, 1]) at = bytes.writeInt32BE(field, at)
  for (const value of values) {
    at = bytes.writeInt32BE(value.length, at)
    bytes.set(value, at)
    at += value.length
  }
  return bytes
}
