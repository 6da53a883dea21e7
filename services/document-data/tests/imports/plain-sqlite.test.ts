import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'
import { importFile, type Imported } from '../../src/import/import-file'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { readRows } from '../support/formula-store'
import { author, openStore } from '../support/test-store'

let folder: TempDir
let store: DocumentStore
beforeAll(async () => {
  folder = await tempDir()
  store = await openStore(folder.path)
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

async function importDatabase(content: Buffer): Promise<Imported & { docId: string }> {
  const docId = randomUUID()
  const upload = join(folder.path, `${docId}.db`)
  writeFileSync(upload, content)
  let imported: Imported | undefined
  await store.lifeCycle.createFrom(docId, async (target) => {
    imported = await importFile({ upload, fileName: 'shop.db', target, author }, () => {})
    return imported.first
  })
  if (!imported) throw new Error('nothing was imported')
  return { ...imported, docId }
}

function database(sql: string): Buffer {
  const db = new Database(':memory:')
  try {
    db.pragma('foreign_keys = OFF')
    db.exec(sql)
    return db.serialize()
  } finally {
    db.close()
  }
}

const typesOf = (docId: string, tableId: string): Record<string, string> =>
  store.read(docId, ({ schema }) =>
    Object.fromEntries(
      schema
        .get(tableId)
        .columns.flatMap(({ id, typeName, hidden }) => (hidden ? [] : [[id, typeName]])),
    ),
  )

describe('a SQLite database of another program', () => {
  it('becomes tables whose keys are row ids, and references to them', async () => {
    const made = await importDatabase(
      readFileSync(join(__dirname, '../../../../tests/data/chinook.sqlite')),
    )
    const counts = Object.fromEntries(made.tables.map(({ id, rows }) => [id, rows]))
    expect(counts).toMatchObject({ Album: 347, Artist: 275, Track: 3503, PlaylistTrack: 8715 })
    expect(typesOf(made.docId, 'Track')).toEqual({
      Name: 'Text',
      AlbumId: 'Ref:Album',
      MediaTypeId: 'Ref:MediaType',
      GenreId: 'Ref:Genre',
      Composer: 'Text',
      Milliseconds: 'Int',
      Bytes: 'Int',
      UnitPrice: 'Numeric',
    })
    expect(typesOf(made.docId, 'Employee')).toMatchObject({
      ReportsTo: 'Ref:Employee',
      BirthDate: 'DateTime:UTC',
    })
    // A composite key is data, and its parts are references.
    expect(typesOf(made.docId, 'PlaylistTrack')).toEqual({
      PlaylistId: 'Ref:Playlist',
      TrackId: 'Ref:Track',
    })
    expect(made.notes).toEqual([
      'changed: the primary key of table "PlaylistTrack" is data, because row ids are single whole numbers from 1',
    ])
    const albums = await readRows(store, made.docId, 'Album')
    expect(albums.find(({ id }) => id === 347)?.fields).toEqual({
      Title: 'Koyaanisqatsi (Soundtrack from the Motion Picture)',
      ArtistId: 275,
    })
    const employees = await readRows(store, made.docId, 'Employee')
    expect(employees.map(({ fields }) => fields.ReportsTo)).toEqual([0, 1, 2, 2, 2, 1, 6, 6])
    expect(employees[0]?.fields.PostalCode).toBe('T5K 2N1')
  })

  it('keeps keys that cannot be row ids as data, and what refers to them', async () => {
    const made = await importDatabase(
      database(`
        CREATE TABLE code (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
        INSERT INTO code VALUES ('de', 'Germany'), ('007', 'Bond');
        CREATE TABLE zero (id INTEGER PRIMARY KEY, of TEXT REFERENCES code);
        INSERT INTO zero VALUES (0, 'de'), (5, '007');
        CREATE TABLE "odd name" (n INTEGER PRIMARY KEY, z INTEGER REFERENCES zero, "a b" REFERENCES "ODD NAME"(N));
        INSERT INTO "odd name" VALUES (7, 5, 7), (9, NULL, 99);
        CREATE TABLE extra (n INTEGER PRIMARY KEY REFERENCES "odd name", x);
        INSERT INTO extra VALUES (7, 1)`),
    )
    expect(typesOf(made.docId, 'Code')).toEqual({ code: 'Text', name: 'Text' })
    expect(typesOf(made.docId, 'Zero')).toEqual({ id2: 'Int', of: 'Text' })
    expect(typesOf(made.docId, 'Odd_name')).toEqual({ z: 'Int', a_b: 'Ref:Odd_name' })
    expect(typesOf(made.docId, 'Extra')).toEqual({ n: 'Ref:Odd_name', x: 'Int' })
    expect(await readRows(store, made.docId, 'Zero')).toEqual([
      { id: 1, fields: { id2: 0, of: 'de' } },
      { id: 2, fields: { id2: 5, of: '007' } },
    ])
    expect(await readRows(store, made.docId, 'Odd_name')).toEqual([
      { id: 7, fields: { z: 5, a_b: 7 } },
      { id: 9, fields: { z: null, a_b: 99 } },
    ])
    expect(made.notes).toHaveLength(2)
  })

  it('has values of the type of its columns, and runs nothing', async () => {
    const made = await importDatabase(
      database(`
        CREATE TABLE t (flag BOOLEAN, maybe BOOLEAN, digits TEXT, big INTEGER, price REAL, day, data BLOB, none,
          mixed, gristHelper_x);
        INSERT INTO t VALUES (1, 1, '12', 9007199254740993, 5.0, '2024-01-31', x'00ff', NULL, 1, 'h'),
          (0, NULL, '13', 1, 2.5, '2024-02-01', NULL, NULL, 'x', 'h');
        ALTER TABLE t ADD COLUMN twice AS (hex(zeroblob(1000000000)));
        CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
        CREATE TRIGGER spy AFTER INSERT ON t BEGIN DELETE FROM t; END;
        CREATE VIRTUAL TABLE words USING fts5(a)`),
    )
    expect(typesOf(made.docId, 'T')).toEqual({
      flag: 'Bool',
      maybe: 'Int',
      digits: 'Text',
      big: 'Text',
      price: 'Numeric',
      day: 'Date',
      data: 'Any',
      none: 'Any',
      mixed: 'Text',
    })
    expect((await readRows(store, made.docId, 'T'))[0]?.fields).toEqual({
      flag: true,
      maybe: 1,
      digits: '12',
      big: '9007199254740993',
      price: 5,
      day: 1_706_659_200,
      data: null,
      none: null,
      mixed: '1',
    })
    expect(made.notes).toEqual([
      'left out: computed column "twice" of table "t"',
      'left out: view "endless"',
      'left out: trigger "spy"',
      'left out: virtual table "words"',
      'left out: binary data in column "data" of table "t"',
    ])
  })

  it('without tables is refused', async () => {
    await expect(importDatabase(database('CREATE VIEW v AS SELECT 1'))).rejects.toMatchObject({
      reason: 'BAD_IMPORT_FILE',
      message: 'the SQLite file has no tables',
    })
  })
})
