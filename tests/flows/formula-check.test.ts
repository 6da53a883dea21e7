import { join } from 'node:path'
import type { Rest } from '@sheaf/testkit/rest'
import { eventually } from '@sheaf/testkit/eventually'
import Database from 'better-sqlite3'
import { addRecords, addTable, newDocument, useOwnSystem } from '../support/system'
import { requireOk } from '../support/webhooks'

interface Diagnosis {
  readonly findings: readonly { readonly docId?: string; readonly message: string }[]
}

const system = useOwnSystem()
const idOf = (doc: string) => doc.slice('/api/docs/'.length)

/** What `doctor --formulas` finds about a document; it fails when it finds an error, after printing it. */
async function check(doc: string): Promise<string[]> {
  const printed = await system.sheaf.operate('doctor', '--formulas', '--json').catch(
    // The output of a command that exits with 1.
    (error: { stdout: string }) => error.stdout,
  )
  const { findings } = JSON.parse(printed) as Diagnosis
  return findings.filter(({ docId }) => docId === idOf(doc)).map(({ message }) => message)
}

async function addFormulas(rest: Rest, table: string, formulas: Record<string, string>) {
  const columns = Object.entries(formulas).map(([id, formula]) => ({
    id,
    fields: { type: 'Any', isFormula: true, formula },
  }))
  requireOk(await rest.post(`${table}/columns`, { body: { columns } }))
}

/** A document with formulas over references, lookups and other formulas. */
async function makeDocument(rest: Rest): Promise<{ doc: string; table: string }> {
  const doc = await newDocument(rest, 'Formulas')
  await addTable(rest, doc, 'Pets', { Kind: 'Text', Weight: 'Numeric' })
  const table = `${doc}/tables/Pets`
  await addRecords(rest, table, [
    { Kind: 'cat', Weight: 4.5 },
    { Kind: 'dog', Weight: 20 },
    { Kind: 'cat', Weight: 3 },
  ])
  await addFormulas(rest, table, {
    Total: 'SUM(Pets.lookupRecords(Kind=$Kind).Weight)',
    Share: '$Weight / $Total',
  })
  return { doc, table }
}

function changeFile(doc: string, sql: string): void {
  const folder = join(system.sheaf.dataDir, 'documents', idOf(doc).slice(0, 2), idOf(doc))
  const db = new Database(join(folder, 'document.sqlite'))
  db.exec(sql)
  db.close()
}

describe('doctor --formulas', () => {
  it('finds nothing in a document whose formulas were computed by writes', async () => {
    const { rest } = system.alice
    const { doc, table } = await makeDocument(rest)
    const records = [{ id: 1, fields: { Kind: 'dog' } }]
    requireOk(await rest.patch(`${table}/records`, { body: { records } }))
    await eventually(async () => {
      const { records } = requireOk(
        await rest.get<{ records: { fields: { Total: unknown } }[] }>(`${table}/records`),
      )
      expect(records.map(({ fields }) => fields.Total)).toEqual([24.5, 24.5, 3])
    })
    expect(await check(doc)).toEqual([])
  })

  it('finds results that do not follow from the data', async () => {
    const { doc } = await makeDocument(system.alice.rest)
    changeFile(doc, 'UPDATE Pets SET Share = 7 WHERE id = 2')
    expect(await check(doc)).toEqual([
      `document ${idOf(doc)}: its formula gives another result: column "Share" of row 2 of table "Pets"`,
    ])
  })

  it('leaves out formulas that are never the same twice, and what depends on them', async () => {
    const { rest } = system.alice
    const { doc, table } = await makeDocument(rest)
    await addFormulas(rest, table, {
      Now: 'NOW()',
      Later: '$Now',
      Luck: '__import__("random").random()',
    })
    expect(await check(doc)).toEqual([
      `document ${idOf(doc)}: 3 formula columns were not checked: pending, stopped, or never the same twice`,
    ])
  })
})
