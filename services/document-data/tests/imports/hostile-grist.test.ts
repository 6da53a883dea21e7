import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { gristFile } from '@sheaf/testkit/grist-file'
import { importFile, type Imported } from '../../src/import/import-file'
import { openReader } from '../../src/store/sqlite/connections'
import { readSchema } from '../../src/store/schema/schema'
import { author } from '../support/test-store'

let folder: TempDir
beforeAll(async () => {
  folder = await tempDir()
})
afterAll(() => folder[Symbol.asyncDispose]())

const sound = gristFile({
  tables: [
    {
      id: 'T',
      columns: [
        { id: 'A', type: 'Text' },
        { id: 'N', type: 'Numeric' },
        { id: 'F', type: 'Any', isFormula: true, formula: '$A' },
      ],
      rows: [
        [1, 'x', 1, 'x'],
        [2, 'y', 2, ['L', 'y']],
      ],
    },
    { id: 'U', columns: [{ id: 'R', type: 'Ref:T' }], rows: [[1, 2]] },
  ],
  attachments: [{ name: 'a.txt', bytes: Buffer.from('abc') }],
})

/** The sample after somebody has changed it. */
function changed(sql: string): Buffer {
  const path = join(folder.path, 'changed.grist')
  writeFileSync(path, sound)
  const db = new Database(path)
  try {
    db.unsafeMode(true)
    db.pragma('writable_schema = ON')
    db.exec(sql)
    return db.serialize()
  } finally {
    db.close()
  }
}

async function importBytes(content: Buffer): Promise<Imported & { file: string }> {
  const upload = join(folder.path, randomUUID())
  const file = join(folder.path, randomUUID())
  writeFileSync(upload, content)
  const imported = await importFile({ upload, fileName: 'x.grist', target: file, author }, () => {})
  return { ...imported, file }
}

/** The rows of a table of an imported document. */
function rowsOf(file: string, table: string): unknown[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare(`SELECT * FROM "${table}" ORDER BY id`).all()
  } finally {
    db.close()
  }
}

/** Throws when the document cannot be read. */
function requireReadable({ file, tables }: Imported & { file: string }): void {
  const connection = openReader(file)
  try {
    const { tables: known } = readSchema(connection)
    expect(known.map(({ tableId }) => tableId)).toEqual(tables.map(({ id }) => id))
    for (const { tableId, columns } of known)
      for (const { id, type } of columns)
        for (const json of connection
          .pluck<string>(`SELECT json_array(${type.jsonSql(`"${id}"`)}) FROM "${tableId}"`)
          .all())
          JSON.parse(json)
  } finally {
    connection.close()
  }
}

const column = '_grist_Tables_column'
const long = `replace(hex(zeroblob(500001)), '00', 'ab')`
/** Bytes of a list within a list, and so on. */
const nested = `CAST(replace(hex(zeroblob(500)), '00', '[' || char(1, 0, 0, 0)) || 'N' AS BLOB)`

describe('a Grist document', () => {
  it.each<[string, RegExp, string]>([
    [
      'a table of Sheaf itself',
      /"_sheaf_x" is not a valid table id/,
      `UPDATE _grist_Tables SET tableId = '_sheaf_x' WHERE id = 1; ALTER TABLE T RENAME TO _sheaf_x`,
    ],
    [
      'a table of the metadata',
      /"_grist_Views" is not a valid table id/,
      `UPDATE _grist_Tables SET tableId = '_grist_Views' WHERE id = 1`,
    ],
    [
      'a table id with a quote',
      /is not a valid table id/,
      `UPDATE _grist_Tables SET tableId = 'T"; DROP TABLE T' WHERE id = 1`,
    ],
    [
      'the same table id twice',
      /"t" is not a valid table id|"U" is not a valid table id/,
      `UPDATE _grist_Tables SET tableId = 'U'`,
    ],
    ['a table that is missing', /table "T": the table is missing/, 'DROP TABLE T'],
    [
      'a view in place of a table',
      /table "T": the table is missing/,
      'ALTER TABLE T RENAME TO x; CREATE VIEW T AS SELECT * FROM x',
    ],
    [
      'a virtual table in place of a table',
      /table "T": the table is missing/,
      'DROP TABLE T; CREATE VIRTUAL TABLE T USING fts5(A, N, F)',
    ],
    ['a column that is missing', /table "T": column "A" is missing/, 'ALTER TABLE T DROP COLUMN A'],
    [
      'a computed column in place of a column',
      /table "T": column "A" is missing/,
      `ALTER TABLE T DROP COLUMN A; ALTER TABLE T ADD COLUMN A AS (hex(zeroblob(1000000000)))`,
    ],
    [
      'a column id with a quote',
      /is not a valid column id/,
      `UPDATE ${column} SET colId = 'A", "' WHERE colId = 'A'`,
    ],
    [
      'a column "id"',
      /"id" is not a valid column id/,
      `UPDATE ${column} SET colId = 'id' WHERE colId = 'A'`,
    ],
    [
      'the same column twice',
      /"a" is not a valid column id/,
      `UPDATE ${column} SET colId = 'a' WHERE colId = 'N'`,
    ],
    [
      'columns of no table',
      /columns of a table that does not exist/,
      'DELETE FROM _grist_Tables WHERE id = 2',
    ],
    [
      'a huge ref',
      /has an invalid ref/,
      `UPDATE ${column} SET id = 9007199254740993 WHERE colId = 'A'`,
    ],
    [
      'a ref that is no number',
      /has an invalid ref/,
      `UPDATE ${column} SET parentId = 'x' WHERE colId = 'A'`,
    ],
    [
      'a ref twice',
      /the metadata has a table twice/,
      `CREATE TABLE x AS SELECT * FROM _grist_Tables; INSERT INTO x SELECT * FROM x; DROP TABLE _grist_Tables; ALTER TABLE x RENAME TO _grist_Tables`,
    ],
    ['no table of columns', /has no table _grist_Tables_column/, `DROP TABLE ${column}`],
    ['a row id below 0', /table "T": a row has an invalid id/, 'UPDATE T SET id = -id'],
    [
      'a row id that leaves none for new rows',
      /a row has an invalid id/,
      'UPDATE T SET id = 9007199254740991 WHERE id = 1',
    ],
    [
      'the same row twice',
      /tables contradict each other/,
      'CREATE TABLE x AS SELECT * FROM T; INSERT INTO x SELECT * FROM x; DROP TABLE T; ALTER TABLE x RENAME TO T',
    ],
    [
      'an id of an attachment that leaves none for new ones',
      /a row has an invalid id/,
      'UPDATE _grist_Attachments SET id = 9223372036854775807',
    ],
    ['bytes that are no value', /table "T": a cell cannot be read/, `UPDATE T SET N = x'00ff'`],
    [
      'bytes that end too early',
      /a cell cannot be read: a value is cut off/,
      `UPDATE T SET F = CAST('i' || char(1) AS BLOB)`,
    ],
    [
      'code in a cell',
      /a cell cannot be read: a value has an unknown type/,
      `UPDATE T SET F = CAST('c' AS BLOB)`,
    ],
    [
      'a list that contains itself',
      /a cell cannot be read: a value refers to no other/,
      `UPDATE T SET F = x'db010000007200000000'`,
    ],
    [
      'pages of nonsense',
      /damaged/,
      `UPDATE sqlite_schema SET sql = 'CREATE TABLE T (' WHERE name = 'T'`,
    ],
  ])('with %s is refused', async (_, message, sql) => {
    await expect(importBytes(changed(sql))).rejects.toMatchObject({
      code: 'invalid',
      reason: 'BAD_IMPORT_FILE',
      message: expect.stringMatching(message) as string,
    })
  })

  it.each<[string, RegExp, string]>([
    [
      'a formula of 10 MB',
      /a cell must not have/,
      `UPDATE ${column} SET formula = replace(hex(zeroblob(5000000)), '00', 'ab') WHERE colId = 'F'`,
    ],
    ['a huge cell', /table "T": a cell must not have/, `UPDATE T SET A = ${long}`],
    [
      'a huge cell of bytes',
      /table "T": a cell must not have/,
      'UPDATE T SET F = zeroblob(1000001)',
    ],
    ['a list that is too deep', /a value is nested too deep/, `UPDATE T SET F = ${nested}`],
    [
      'too many tables',
      /more than 1000 rows in _grist_Tables/,
      `WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 1002) INSERT INTO _grist_Tables (id, tableId) SELECT i, 'T' || i FROM n`,
    ],
    [
      'too many columns',
      /more than 20000 rows in _grist_Tables_column/,
      `WITH RECURSIVE n(i) AS (SELECT 50 UNION ALL SELECT i + 1 FROM n WHERE i < 20050) INSERT INTO ${column} (id, parentId, colId, type) SELECT i, 1, 'C' || i, 'Text' FROM n`,
    ],
  ])('with %s is too large', async (_, message, sql) => {
    await expect(importBytes(changed(sql))).rejects.toMatchObject({
      code: 'too_large',
      reason: 'IMPORT_TOO_LARGE',
      message: expect.stringMatching(message) as string,
    })
  })

  it('with a value that doubles itself a thousand times over is too large', async () => {
    // A list of two items, the second of which refers to the first, which is such a list.
    const pair = (inner: Buffer, ref: number) => {
      const index = Buffer.alloc(4)
      index.writeInt32LE(ref)
      return Buffer.concat([Buffer.from('db02000000', 'hex'), inner, Buffer.from('r'), index])
    }
    let bytes: Buffer = Buffer.from('da0178', 'hex')
    // The reference of the outermost list is 0, and so on.
    for (let depth = 30; depth > 0; depth--) bytes = pair(bytes, depth)
    await expect(
      importBytes(changed(`UPDATE T SET F = x'${bytes.toString('hex')}'`)),
    ).rejects.toMatchObject({
      reason: 'IMPORT_TOO_LARGE',
      message: 'table "T": a cell cannot be read: a value is too large',
    })
  })

  it.each<[string, string]>([
    [
      'triggers, views, virtual tables and computed columns',
      `CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
      CREATE TRIGGER spy AFTER INSERT ON T BEGIN DELETE FROM T; END;
      CREATE VIRTUAL TABLE words USING fts5(a);
      ALTER TABLE T ADD COLUMN twice AS (hex(zeroblob(1000000000)));
      ALTER TABLE _grist_Tables ADD COLUMN twice AS (hex(zeroblob(1000000000)))`,
    ],
    [
      'views in place of tables that are counted',
      `DROP TABLE _grist_Pages; CREATE VIEW _grist_Pages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`,
    ],
    [
      'computed columns in tables that are counted',
      `INSERT INTO _grist_Filters (pinned) VALUES (1); ALTER TABLE _grist_Filters DROP COLUMN filter; ALTER TABLE _grist_Filters ADD COLUMN filter AS (hex(zeroblob(1000000000)))`,
    ],
    ['an index with a function', 'CREATE INDEX i ON T (upper(A), length(hex(A)))'],
    [
      'refs of columns that do not exist, and of themselves',
      `UPDATE ${column} SET displayCol = id, visibleCol = 999, reverseCol = id, rules = '[999]', recalcDeps = '[999,"x",null]'`,
    ],
    [
      'metadata of the wrong kind',
      `UPDATE ${column} SET widgetOptions = 7, label = NULL, description = x'4e', recalcDeps = '{', rules = x'4e', parentPos = 'x', recalcWhen = 'x'`,
    ],
    [
      'settings that are no JSON',
      `UPDATE _grist_DocInfo SET timezone = 'Mars', documentSettings = '{'`,
    ],
    ['no settings', 'DELETE FROM _grist_DocInfo'],
    [
      'types that do not exist',
      `UPDATE ${column} SET type = 'Text); DROP TABLE x' WHERE colId = 'A'; UPDATE ${column} SET type = 'Ref:' WHERE colId = 'R'; UPDATE ${column} SET type = '__proto__' WHERE colId = 'N'`,
    ],
    [
      'references to its metadata',
      `UPDATE ${column} SET type = 'Ref:_grist_Tables' WHERE colId = 'R'`,
    ],
    ['rows at no position', 'UPDATE T SET manualSort = 9e999 * (id - 1.5)'],
    ['positions of another kind', `UPDATE T SET manualSort = x'4e'; UPDATE U SET manualSort = 'x'`],
    [
      'an attachment with a name of another folder',
      `UPDATE _grist_Attachments SET fileName = '../../etc/x' || char(10), fileExt = './x', fileType = 'a' || char(13, 10), fileIdent = '../x', fileSize = -1, timeUploaded = 1e300, timeDeleted = 'x'`,
    ],
    ['contents of an attachment that are text', `UPDATE _gristsys_Files SET data = 'text'`],
    ['contents under the hash of others', `UPDATE _gristsys_Files SET data = CAST('abd' AS BLOB)`],
    [
      'formulas that name everything',
      `UPDATE ${column} SET formula = 'eval("T.all")' WHERE colId = 'F'`,
    ],
    [
      'a formula column that depends on itself',
      `UPDATE ${column} SET formula = '$F + $F.F.F' WHERE colId = 'F'`,
    ],
    [
      'text that begins like a coded value',
      `UPDATE T SET A = char(1) || '["E"', N = char(1) || '["E"', F = char(1) || '["E","x"]'`,
    ],
    [
      'a key that other programs treat in a special way',
      `UPDATE T SET F = CAST('[' || char(2, 0, 0, 0) || 'u' || char(1, 0, 0, 0) || 'O{u' || char(9, 0, 0, 0) || '__proto__i' || char(1, 0, 0, 0) || '0' AS BLOB)`,
    ],
    [
      'lists that are no lists',
      `UPDATE ${column} SET type = 'ChoiceList' WHERE colId = 'A'; UPDATE T SET A = '[[1],{}]' WHERE id = 1; UPDATE T SET A = '[' WHERE id = 2`,
    ],
    [
      'codes that do not exist',
      `UPDATE T SET F = CAST('[' || char(2, 0, 0, 0) || 'u' || char(1, 0, 0, 0) || 'ZN' AS BLOB)`,
    ],
  ])('with %s is made harmless', async (_, sql) => {
    const made = await importBytes(changed(sql))
    expect(made.tables).toEqual([
      { id: 'T', rows: 2 },
      { id: 'U', rows: 1 },
    ])
    requireReadable(made)
    const again = new Database(made.file)
    expect(again.pragma('integrity_check', { simple: true })).toBe('ok')
    again.close()
  })

  it('has attachments by the hash of their bytes, whatever it says itself', async () => {
    const made = await importBytes(changed(`UPDATE _gristsys_Files SET data = CAST('abd' AS BLOB)`))
    expect(rowsOf(made.file, '_grist_Attachments')).toMatchObject([
      { fileIdent: 'cb4cc28df0fdbe0ecf9d9662e294b118092a5735.txt', fileSize: 3 },
    ])
  })

  it('with more formulas that name everything than can be followed has them computed anew', async () => {
    const path = join(folder.path, 'many.grist')
    writeFileSync(path, sound)
    const db = new Database(path)
    const ids = Array.from({ length: 900 }, (_, i) => `C${i}`)
    db.exec(ids.map((id) => `ALTER TABLE T ADD COLUMN ${id};`).join(''))
    const insert = db.prepare(
      `INSERT INTO ${column} (parentId, parentPos, colId, type, isFormula, formula) VALUES (1, 99, ?, 'Any', 1, 'RECORD(rec)')`,
    )
    for (const id of ids) insert.run(id)
    const content = db.serialize()
    db.close()
    const { file } = await importBytes(content)
    expect(rowsOf(file, 'T')).toHaveLength(2)
    const made = new Database(file, { readonly: true })
    const states = Number(made.prepare('SELECT count(*) FROM _sheaf_formulas').pluck().get())
    const bytes = Number(
      made.prepare('SELECT sum(length(relations)) FROM _sheaf_formulas').pluck().get(),
    )
    made.close()
    expect(states).toBeLessThan(900)
    expect(bytes).toBeLessThan(20_000_000)
  })

  it('is refused whatever byte of it is wrong, or becomes a document that can be read', async () => {
    const byte = fc.record({ at: fc.nat(sound.length - 1), xor: fc.integer({ min: 1, max: 255 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(byte, { minLength: 1, maxLength: 30 }), async (bytes) => {
        const broken = Buffer.from(sound)
        for (const { at, xor } of bytes) broken[at] = (broken[at] ?? 0) ^ xor
        const made = await importBytes(broken).catch((error: unknown) => {
          expect(error).toMatchObject({
            code: expect.stringMatching(/^(invalid|too_large)$/) as string,
          })
        })
        if (made) requireReadable(made)
      }),
      { numRuns: 60 },
    )
  })
})
