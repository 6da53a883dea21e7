import { mkdtemp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { AppError } from '@sheaf/kit/errors'
import Database from 'better-sqlite3'
import { Workbook } from 'exceljs'
import fc from 'fast-check'
import { pack } from 'tar-stream'
import { gristFile } from '@sheaf/testkit/grist-file'
import { restoreFiles } from '../../src/store/attachments/attachment-restore'
import { StagedFiles } from '../../src/store/attachments/staged-files'
import { replayDocument } from '../../src/store/redo/replay-document'
import { computed } from '../support/formula-store'
import { GristImports } from '../support/grist-imports'
import type { Change } from '../support/random-changes'
import { randomWrites } from '../support/random-writes'
import { redoRuns } from '../support/redo'
import { author } from '../support/test-store'

let imports: GristImports
beforeAll(async () => {
  imports = await GristImports.open()
})
afterAll(() => imports[Symbol.asyncDispose]())

async function workbook(): Promise<Buffer> {
  const book = new Workbook()
  book.addWorksheet('People').addRows([
    ['Name', 'Age', 'Born'],
    ['Ada', 36, new Date(Date.UTC(1815, 11, 10))],
    ['Grace', 85.5, null],
  ])
  book.addWorksheet('Pets').addRows([['Name'], [7], ['Tom']])
  return Buffer.from(await book.xlsx.writeBuffer())
}

function database(): Buffer {
  const db = new Database(':memory:')
  try {
    db.pragma('foreign_keys = OFF')
    db.exec(`
      CREATE TABLE People (id INTEGER PRIMARY KEY, name TEXT, pay REAL, retired BOOLEAN, photo BLOB);
      CREATE TABLE Pets (name, owner INTEGER REFERENCES People (id), born);
      INSERT INTO People VALUES (3, 'Ada', 1.5, 1, x'00ff'), (9, 'Grace', 2.0, 0, NULL), (10, '7', -0.0, 0, NULL);
      INSERT INTO Pets VALUES ('Tom', 3, 9007199254740993), (5, 77, '2024-01-02'), (NULL, NULL, 1e300);`)
    return db.serialize()
  } finally {
    db.close()
  }
}

/** Formulas of every kind with their results, a trigger formula, and attachments with and without contents. */
function gristDocument(): Buffer {
  return gristFile({
    tables: [
      {
        id: 'People',
        columns: [
          { id: 'Name', type: 'Text' },
          { id: 'Age', type: 'Int' },
          { id: 'Tags', type: 'ChoiceList' },
          { id: 'Files', type: 'Attachments' },
          { id: 'Older', type: 'Any', isFormula: true, formula: '$Age + 0.5' },
          { id: 'Inverse', type: 'Any', isFormula: true, formula: '1 / $Age' },
          { id: 'Pets', type: 'Any', isFormula: true, formula: 'Pets.lookupRecords(Owner=$id)' },
          { id: 'Note', type: 'Any', formula: 'str($Age)', meta: { recalcDeps: '[3]' } },
        ],
        rows: [
          [2, 'Ada', 36, ['L', 'a'], ['L', 1, 2], 36.5, 1 / 36, ['r', 'Pets', [1]], 'x'],
          [5, 'Grace', 0, null, null, 0.5, ['E', 'ZeroDivisionError'], ['r', 'Pets', []], 8.25],
        ],
      },
      {
        id: 'Pets',
        columns: [
          { id: 'Owner', type: 'Ref:People' },
          { id: 'Age', type: 'Numeric', isFormula: true, formula: '$Owner.Age * 2' },
        ],
        rows: [
          [1, 2, 72],
          [4, 0, 0],
        ],
      },
    ],
    attachments: [{ name: 'note.txt', bytes: Buffer.from('a note') }, { name: 'elsewhere.txt' }],
  })
}

/** A document of Sheaf, as it is downloaded. */
async function sheafDocument(): Promise<Buffer> {
  const { docId } = await imports.importBytes(gristDocument())
  return imports.store.read<Buffer>(docId, ({ connection }) => connection.db.serialize())
}

const formats: readonly (readonly [fileName: string, content: () => Buffer | Promise<Buffer>])[] = [
  ['people.csv', () => Buffer.from('Name,Age,Born\nAda,36,1815-12-10\nGrace,"85.5",\n7,,\n')],
  ['people.tsv', () => Buffer.from('Name\tAge\nAda\t36\nGrace\t85.5\n')],
  ['people.json', () => Buffer.from('[{"Name":"Ada","Tags":["a","b"]},{"Name":7,"Age":-0.5}]')],
  ['people.xlsx', workbook],
  ['people.sqlite', database],
  ['people.grist', gristDocument],
  ['sheaf.sqlite', sheafDocument],
]

describe.each(formats)('a document imported from %s', (fileName, content) => {
  it(
    'is made again from its base and its log after any writes, with the results of its formulas',
    async () => {
      const bytes = await content()
      let entries = 0
      const run = async (list: readonly Change[]) => {
        const { docId, file } = await imports.importBytes(bytes, fileName)
        const write = (change: Change) =>
          imports.store
            .transact(docId, author, (doc) => change(doc))
            .catch((error: unknown) => expect(error).toBeInstanceOf(AppError))
        for (const change of list) await write(change)
        await computed(imports.store, docId)
        const { differences, skipped, ...replay } = await replayDocument(dirname(file))
        expect([skipped, differences]).toEqual([undefined, []])
        entries += replay.entries
        await imports.store.lifeCycle.remove(docId)
      }
      // Starting the formulas of a document takes most of the time of a run.
      const numRuns = Math.ceil(redoRuns.numRuns / 100)
      await fc.assert(fc.asyncProperty(randomWrites(8), run), { ...redoRuns, numRuns })
      expect(entries).toBeGreaterThan(10)
    },
    redoRuns.timeoutMs,
  )
})

it('a file that an archive gives to an imported attachment without one is made again', async () => {
  const { docId, file } = await imports.importBytes(gristDocument())
  const { store, folder } = imports
  const tar = pack()
  // Its bytes are its name.
  tar.entry({ name: 'any' }, 'elsewhere.txt')
  tar.finalize()
  const archive = Readable.from([await buffer(tar)])
  const limits = { fileBytes: 1e6, documentBytes: 1e6 }
  const scratch = await mkdtemp(join(folder.path, 'archive-'))
  await using staged = await StagedFiles.open<undefined>(scratch, limits, () => {})
  const { signal } = new AbortController()
  const upload = { docId, author, maxBytes: 1e6, signal }
  expect(await restoreFiles({ store, staged, upload }, archive)).toMatchObject({ added: 1 })
  expect(await replayDocument(dirname(file))).toEqual({ entries: 1, differences: [] })
})
