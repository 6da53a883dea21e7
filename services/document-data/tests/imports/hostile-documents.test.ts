import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'
import { ImportInstance } from '../support/import-instance'
import { attachment, exportSample, hashOf } from '../support/sample-document'
import { buildWorkers } from '../support/test-store'

/** Bytes of a piece of a file in a document. */
const CHUNK = 256 * 1024

let imports: ImportInstance
let folder: TempDir
let sound: Buffer
beforeAll(async () => {
  buildWorkers()
  imports = await ImportInstance.start()
  folder = await tempDir()
  sound = await exportSample(imports.instance)
})
afterAll(async () => {
  await imports[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** The sample after somebody has changed it. */
function changed(change: (db: Database.Database) => void): Buffer {
  const path = join(folder.path, 'changed.sqlite')
  writeFileSync(path, sound)
  const db = new Database(path)
  try {
    db.unsafeMode(true)
    db.pragma('writable_schema = ON')
    change(db)
    return db.serialize()
  } finally {
    db.close()
  }
}

const sql = (text: string) => () => changed((db) => db.exec(text))

describe('a SQLite file', () => {
  it('that was downloaded comes back cell by cell', async () => {
    const made = await imports.import('sample.sqlite', sound)
    const { clients } = imports.instance
    const original = (await clients.read(made.docId, 'All')).map(({ id }) => id)
    expect(original).toEqual([1, 3, 4, 5])
    const again = await imports.import('again.db', sound)
    expect(await clients.readText(again.docId, 'All')).toEqual(
      await clients.readText(made.docId, 'All'),
    )
    const db = new Database(sound, { readonly: true })
    const stored = db.prepare('SELECT * FROM "All" ORDER BY id').raw().all()
    db.close()
    const root = join(imports.instance.folder.path, 'documents', made.docId.slice(0, 2))
    const copy = new Database(join(root, made.docId, 'document.sqlite'), { readonly: true })
    expect(copy.prepare('SELECT * FROM "All" ORDER BY id').raw().all()).toEqual(stored)
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(copy.prepare('SELECT count(*) FROM _sheaf_log').pluck().get()).toBe(1)
    copy.close()
    await clients.add(made.docId, 'All', [{ T: 'more' }])
    expect(await clients.read(made.docId, 'All')).toHaveLength(5)
  })

  it.each<[string, RegExp, () => Buffer]>([
    [
      'a trigger',
      /trigger "spy"/,
      sql('CREATE TRIGGER spy AFTER INSERT ON "All" BEGIN DELETE FROM "All"; END'),
    ],
    [
      'a view',
      /view "v"/,
      sql(
        'CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n',
      ),
    ],
    ['a virtual table', /virtual table "f"/, sql('CREATE VIRTUAL TABLE f USING fts5(a)')],
    [
      'a view in place of a table',
      /view "All"/,
      sql('ALTER TABLE "All" RENAME TO x; CREATE VIEW "All" AS SELECT * FROM x'),
    ],
    [
      'a computed column',
      /column "T2" is not a plain column/,
      sql('ALTER TABLE "All" ADD COLUMN T2 AS (hex(zeroblob(100000000)))'),
    ],
    ['a table that is missing', /table "All": the table is missing/, sql('DROP TABLE "All"')],
    ['a column that is missing', /column "T" is missing/, sql('ALTER TABLE "All" DROP COLUMN T')],
    [
      'a table id with a quote',
      /"a"" is not a valid table id/,
      sql(`UPDATE _grist_Tables SET tableId = 'a"' WHERE id = 2`),
    ],
    [
      'a table of Sheaf itself',
      /"_sheaf_log" is not a valid table id/,
      sql(`UPDATE _grist_Tables SET tableId = '_sheaf_log' WHERE id = 2`),
    ],
    [
      'a column id with a quote',
      /is not a valid column id/,
      sql(`UPDATE _grist_Tables_column SET colId = 'T", "' WHERE colId = 'T'`),
    ],
    [
      'the same column twice',
      /tables contradict each other|is not a valid column id/,
      sql(
        `INSERT INTO _grist_Tables_column (parentId, parentPos, colId, type) VALUES (2, 99, 'T ', 'Text')`,
      ),
    ],
    [
      'a type that is none',
      /Unknown column type/,
      sql(`UPDATE _grist_Tables_column SET type = 'Text); DROP TABLE x' WHERE colId = 'T'`),
    ],
    ['bytes in a cell', /a cell contains binary data/, sql(`UPDATE "All" SET T = x'00ff'`)],
    ['a row id below 0', /a row has an invalid id/, sql('UPDATE "All" SET id = -id')],
    [
      'a row id that leaves none for new rows',
      /table "All": a row has an invalid id/,
      sql('UPDATE "All" SET id = 9007199254740991 WHERE id = 1'),
    ],
    [
      'a table ref that leaves none for new tables',
      /a table has an invalid ref/,
      sql('UPDATE _grist_Tables SET id = 2147483647 WHERE id = 2'),
    ],
    [
      'a column ref that leaves none for new columns',
      /a column has an invalid ref/,
      sql(`UPDATE _grist_Tables_column SET id = 2147483647 WHERE colId = 'T'`),
    ],
    ...['_grist_Attachments (id)', '_sheaf_attachments (file_id, id)'].map(
      (into): [string, RegExp, () => Buffer] => [
        `an id in ${into} that leaves none for new attachments`,
        /a row has an invalid id/,
        sql(`INSERT INTO ${into} SELECT ${into.includes(',') ? '1,' : ''} 9223372036854775807`),
      ],
    ),
    [
      'a file that leaves no id for new files',
      /a row has an invalid id/,
      sql(
        `INSERT INTO _sheaf_files (id, hash, size) VALUES (9223372036854775807, '${hashOf('abc')}', 3)`,
      ),
    ],
    [
      'a piece of a file that leaves no id for new pieces',
      /a row has an invalid id/,
      sql(
        `INSERT INTO _sheaf_file_chunks (id, file_id, position, bytes) VALUES (9223372036854775807, 1, 0, x'00')`,
      ),
    ],
    [
      'columns of no table',
      /columns of a table that does not exist/,
      sql('DELETE FROM _grist_Tables WHERE id = 2'),
    ],
    [
      'a huge ref',
      /has an invalid ref/,
      sql(`INSERT INTO _sheaf_refs VALUES ('table', 9223372036854775807)`),
    ],
    [
      'an attachment of other bytes',
      /the contents of an attachment/,
      sql(
        `INSERT INTO _sheaf_files (id, hash, size) VALUES (1, '${hashOf('abc')}', 3);
         INSERT INTO _sheaf_file_chunks (file_id, position, bytes) VALUES (1, 0, CAST('abd' AS BLOB))`,
      ),
    ],
    [
      'an attachment without bytes',
      /an attachment has no contents/,
      sql('INSERT INTO _sheaf_attachments VALUES (1, 7)'),
    ],
    [
      'an attachment in pieces of another size',
      /the parts of an attachment/,
      sql(
        `INSERT INTO _sheaf_files (id, hash, size) VALUES (1, '${hashOf('abc')}', 3);
         INSERT INTO _sheaf_file_chunks (file_id, position, bytes) VALUES (1, 0, CAST('a' AS BLOB)), (1, 1, CAST('bc' AS BLOB))`,
      ),
    ],
    [
      'an attachment whose first piece is missing',
      /the parts of an attachment/,
      sql(
        `INSERT INTO _sheaf_files (id, hash, size) VALUES (1, '${hashOf('abc')}', 3);
         INSERT INTO _sheaf_file_chunks (file_id, position, bytes) VALUES (1, 1, CAST('abc' AS BLOB))`,
      ),
    ],
    [
      'an attachment of another size than its bytes',
      /column fileSize has an invalid value/,
      sql(
        `INSERT INTO _sheaf_files (id, hash, size) VALUES (1, '${hashOf('abc')}', 3);
         INSERT INTO _sheaf_file_chunks (file_id, position, bytes) VALUES (1, 0, CAST('abc' AS BLOB));
         INSERT INTO _sheaf_attachments VALUES (9, 1); ${attachment({ fileSize: '4' })}`,
      ),
    ],
    ...[
      ['fileSize', `'abc'`],
      ['fileSize', '-1'],
      ['timeUploaded', `'abc'`],
      ['timeUploaded', '1e20'],
      ['timeUploaded', '-1'],
      ['timeDeleted', `'abc'`],
      ['timeDeleted', '8.65e12'],
      ['fileIdent', `'../../etc/x'`],
      ['fileIdent', `'${'a'.repeat(40)}/../x'`],
      ['fileIdent', `'${'A'.repeat(40)}'`],
      ['fileName', `'a' || char(10)`],
      ['fileName', `'${'n'.repeat(300)}'`],
      ['fileExt', `'./x'`],
      ['fileType', `'text/plain' || char(13, 10) || 'X: y'`],
    ].map(([column = '', value = '']): [string, RegExp, () => Buffer] => [
      `${value} as ${column} of an attachment`,
      new RegExp(`column ${column} has an invalid value`),
      sql(attachment({ [column]: value })),
    ]),
    ['a newer form', /newer version/, sql('PRAGMA user_version = 999')],
    ['no form', /not a Sheaf document/, sql('PRAGMA user_version = 0')],
    ['another schema', /not a Sheaf document/, sql('DROP TABLE _sheaf_state')],
    [
      'a schema that is no SQL',
      /damaged/,
      sql(`UPDATE sqlite_schema SET sql = 'CREATE TABLE "All" (' WHERE name = 'All'`),
    ],
    ['an end that is cut off', /truncated|damaged/, () => sound.subarray(0, sound.length - 4096)],
    ['more than it says', /truncated or longer/, () => Buffer.concat([sound, Buffer.alloc(4096)])],
    ['a header alone', /damaged|truncated|not a Sheaf document/, () => sound.subarray(0, 100)],
    [
      'pages of nonsense',
      /damaged|truncated|not a Sheaf document/,
      () => Buffer.concat([sound.subarray(0, 200), Buffer.alloc(sound.length - 200, 0xa5)]),
    ],
  ])('with %s is refused', async (_, message, make) => {
    await imports.expectRefused('evil.sqlite', make(), {
      reason: expect.stringMatching(/^(BAD_IMPORT_FILE|UNKNOWN_COLUMN_TYPE)$/) as string,
      message,
    })
  })

  const long = `replace(hex(zeroblob(500001)), '00', 'ab')`
  const wide = Array.from({ length: 17 }, (_, i) => `w${i}`)
  it.each<[string, RegExp, () => Buffer]>([
    ['a huge cell', /table "All": a cell must not have/, sql(`UPDATE "All" SET T = ${long}`)],
    ['a huge cell of a list', /a cell must not have/, sql(`UPDATE "All" SET RL = ${long}`)],
    [
      'a row without end',
      /table "All": the row is too long/,
      sql(
        wide
          .map(
            (id) => `ALTER TABLE "All" ADD COLUMN ${id} TEXT;
              INSERT INTO _grist_Tables_column (parentId, parentPos, colId, type)
                VALUES (2, 99, '${id}', 'Text');
              UPDATE "All" SET ${id} = substr(${long}, 3) WHERE id = 1;`,
          )
          .join(''),
      ),
    ],
    ...['type', 'label', 'formula', 'description', 'widgetOptions', 'rules', 'recalcDeps'].map(
      (field): [string, RegExp, () => Buffer] => [
        `a huge ${field}`,
        /a cell must not have/,
        sql(`UPDATE _grist_Tables_column SET ${field} = ${long} WHERE colId = 'T'`),
      ],
    ),
    [
      'a huge name of an attachment',
      /a cell must not have/,
      sql(`INSERT INTO _grist_Attachments (id, fileName) VALUES (4, ${long})`),
    ],
  ])('with %s is too large', async (_, message, make) => {
    await imports.expectRefused('large.sqlite', make(), { reason: 'IMPORT_TOO_LARGE', message })
  })

  it.each<[string, () => Buffer]>([
    ['an index with a function', sql('CREATE INDEX i ON "All" (upper(T), length(hex(T)))')],
    [
      'a table that nobody knows',
      sql(`CREATE TABLE other (x CHECK (x > 0)); INSERT INTO other VALUES (1)`),
    ],
    [
      'a check of a table, which is not run',
      sql(
        `PRAGMA ignore_check_constraints = ON;
         CREATE TABLE slow (x CHECK (x < 0)); INSERT INTO slow VALUES (1)`,
      ),
    ],
    [
      'settings that are no JSON',
      sql(`UPDATE _grist_DocInfo SET timezone = 'Mars', documentSettings = '{'`),
    ],
    [
      'the highest row id that a client can choose',
      sql('UPDATE "All" SET id = 2147483647 WHERE id = 5'),
    ],
    ['a row far below all others', sql('UPDATE "All" SET manualSort = 1.7e308 WHERE id = 3')],
    ['rows at no position', sql('UPDATE "All" SET manualSort = 9e999 * (id - 3.5)')],
    [
      'rules that are no JSON',
      sql(`UPDATE _grist_Tables_column SET rules = '[', recalcDeps = '{}', widgetOptions = '['`),
    ],
    [
      'lists that are no JSON',
      sql(
        `UPDATE "All" SET RL = '[1', CL = '[' || char(0), "Any" = char(1) || '{', D = 'x', N = 9e999, manualSort = 'x'`,
      ),
    ],
    [
      'JSON that is too deep',
      sql(
        `UPDATE "All" SET "Any" = char(1) || replace(hex(zeroblob(5000)), '00', '[') || replace(hex(zeroblob(5000)), '00', ']')`,
      ),
    ],
  ])('with %s is made harmless', async (_, make) => {
    const made = await imports.import('odd.sqlite', make())
    expect(made.tables).toEqual([
      { id: 'Table1', rows: 0 },
      { id: 'All', rows: 4 },
    ])
    const { clients } = imports.instance
    expect(await clients.read(made.docId, 'All')).toHaveLength(4)
    await clients.add(made.docId, 'All', [{ T: 'after' }])
    expect(await clients.read(made.docId, 'All', { sort: ['T', 'Any', 'RL'] })).toHaveLength(5)
  })

  it('with a long label has it cut like that of any file', async () => {
    const label = `${'x'.repeat(499)}😀`
    const file = sql(`UPDATE _grist_Tables_column SET label = '${label}' WHERE colId = 'T'`)
    const made = await imports.import('label.sqlite', file())
    expect(await imports.columns(made, 'All')).toContainEqual(['T', 'x'.repeat(499), 'Text'])
  })

  it('brings its attachments along, and no unfinished one', async () => {
    const add = (id: number, text: string, pending: string) => `
      INSERT INTO _sheaf_files (id, hash, size, pending)
        VALUES (${id}, '${hashOf(text)}', ${text.length}, ${pending});
      INSERT INTO _sheaf_file_chunks (file_id, position, bytes)
        VALUES (${id}, 1, CAST('${text.slice(CHUNK)}' AS BLOB)), (${id}, 0, CAST('${text.slice(0, CHUNK)}' AS BLOB));`
    const whole = `${'x'.repeat(CHUNK)}whole`
    const file = sql(
      `${add(1, whole, 'NULL')} ${add(2, `${whole} not`, `'upload'`)}
       INSERT INTO _grist_Attachments (id, fileName) VALUES (4, 'a.txt')`,
    )
    const made = await imports.import('attached.sqlite', file())
    const root = join(imports.instance.folder.path, 'documents', made.docId.slice(0, 2))
    const db = new Database(join(root, made.docId, 'document.sqlite'), { readonly: true })
    expect(db.prepare('SELECT id, hash FROM _sheaf_files').raw().all()).toEqual([
      [1, hashOf(whole)],
    ])
    expect(db.prepare('SELECT count(*) FROM _sheaf_file_chunks').pluck().get()).toBe(2)
    expect(db.prepare('SELECT id, fileName FROM _grist_Attachments').raw().all()).toEqual([
      [4, 'a.txt'],
    ])
    db.close()
  })

  it('is refused whatever byte of it is wrong, or becomes a document that can be read', async () => {
    const { clients } = imports.instance
    for (let at = 20; at < sound.length; at += Math.ceil(sound.length / 12)) {
      const broken = Buffer.from(sound)
      for (let i = at; i < Math.min(at + 64, broken.length); i++)
        broken[i] = (broken[i] ?? 0) ^ 0x5a
      const made = await imports.import('broken.sqlite', broken).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'invalid' })
      })
      if (made) for (const { id } of made.tables) await clients.read(made.docId, id)
    }
  })
})
