import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'
import { DocumentSize } from '../../src/import/document-size'
import { importFile } from '../../src/import/import-file'
import { author } from '../support/test-store'
import { zipOf } from '../support/zip-file'

const MIB = 1024 * 1024

let folder: TempDir
beforeAll(async () => {
  folder = await tempDir()
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Imports a file where documents may take 4 MiB; answers the path of the document. */
async function importSmall(fileName: string, content: string | Buffer): Promise<string> {
  const upload = join(folder.path, randomUUID())
  const target = join(folder.path, randomUUID())
  writeFileSync(upload, content)
  const order = { upload, fileName, target, author }
  await importFile(order, () => {}, new DocumentSize(4 * MIB))
  return target
}

/** A document after somebody has given it columns with long values that take no room. */
async function withDefaults(text: string): Promise<Buffer> {
  const path = await importSmall('t.csv', `a\n${'1\n'.repeat(100)}`)
  const db = new Database(path)
  try {
    db.pragma('journal_mode = DELETE')
    db.exec(
      `ALTER TABLE T ADD COLUMN b TEXT DEFAULT '${text}';
       INSERT INTO _grist_Tables_column (parentId, parentPos, colId, type, label)
         SELECT parentId, 99, 'b', 'Text', 'b' FROM _grist_Tables_column LIMIT 1`,
    )
    return db.serialize()
  } finally {
    db.close()
  }
}

/** A workbook whose cells all show the same text. */
function withSharedText(text: string, rows: number): Buffer {
  const cells = '<c t="s"><v>0</v></c>'.repeat(10)
  return zipOf({
    '_rels/.rels':
      '<Relationships><Relationship Id="1" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="1" Type="x/worksheet" Target="s.xml"/><Relationship Id="2" Type="x/sharedStrings" Target="t.xml"/></Relationships>',
    'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="1"/></sheets></workbook>',
    'xl/t.xml': `<sst><si><t>${text}</t></si></sst>`,
    'xl/s.xml': `<worksheet><sheetData>${`<row>${cells}</row>`.repeat(rows)}</sheetData></worksheet>`,
  })
}

describe('a small file does not fill the disk', () => {
  const text = 'x'.repeat(100_000)
  const wide = Array.from({ length: 1500 }, (_, i) => `c${i}`).join()
  it.each<[string, string, () => string | Buffer | Promise<Buffer>]>([
    ['with a text that many cells share', 'a.xlsx', () => withSharedText(text, 60)],
    ['with a column that has a long default', 'a.sqlite', () => withDefaults(text)],
    ['with short rows of a wide table', 'a.csv', () => `${wide}\n${'1\n'.repeat(4000)}`],
  ])('%s', async (_, name, make) => {
    const content = await make()
    expect(content.length).toBeLessThan(MIB)
    await expect(importSmall(name, content)).rejects.toMatchObject({
      code: 'too_large',
      reason: 'IMPORT_TOO_LARGE',
      message: 'the document must not be larger than 4 MiB',
    })
  })

  it('but is taken where what it makes is small as well', async () => {
    await expect(importSmall('a.xlsx', withSharedText('x', 60))).resolves.toBeDefined()
    await expect(importSmall('a.sqlite', await withDefaults('x'))).resolves.toBeDefined()
  })
})
