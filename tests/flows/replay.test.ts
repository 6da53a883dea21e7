import { execFile } from 'node:child_process'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Rest } from '@sheaf/testkit/rest'
import Database from 'better-sqlite3'
import { formOf } from '../support/attachments'
import { addRecords, addTable, homeWorkspace, newDocument, useOwnSystem } from '../support/system'
import { requireOk } from '../support/webhooks'

interface Diagnosis {
  readonly documents: number
  readonly findings: readonly {
    readonly level: string
    readonly docId?: string
    readonly message: string
  }[]
}

const system = useOwnSystem()
const run = promisify(execFile)
const idOf = (doc: string) => doc.slice('/api/docs/'.length)

/** Runs `doctor --replay`, which fails when it finds an error, after printing what it found. */
async function replayAll(): Promise<Diagnosis> {
  const printed = await system.sheaf.operate('doctor', '--replay', '--json').catch(
    // The output of a command that exits with 1.
    (error: { stdout: string }) => error.stdout,
  )
  return JSON.parse(printed) as Diagnosis
}

const findingsAbout = ({ findings }: Diagnosis, doc: string) =>
  findings.filter(({ docId }) => docId === idOf(doc)).map(({ message }) => message)

async function importFile(rest: Rest, name: string, content: string | Buffer) {
  const form = new FormData()
  form.set('upload', new Blob([new Uint8Array(Buffer.from(content))]), name)
  const path = `/api/workspaces/${await homeWorkspace(rest)}/import`
  const { id, tables } = requireOk(
    await rest.post<{ id: string; tables: { id: string }[] }>(path, { body: form }),
  )
  return { doc: `/api/docs/${id}`, table: tables[0]?.id ?? '' }
}

/** Changes a document in every way: rows, columns, tables, attachments, actions, undo. */
async function change(rest: Rest, doc: string, table: string): Promise<void> {
  const rows = `${doc}/tables/${table}`
  const [id = 0] = await addRecords(rest, rows, [{}, {}])
  const columns = [{ id: 'Note', fields: { type: 'Text', label: 'Note' } }]
  requireOk(await rest.post(`${rows}/columns`, { body: { columns } }))
  const records = [{ id, fields: { Note: '7.5' } }]
  requireOk(await rest.patch(`${rows}/records`, { body: { records } }))
  const numeric = [{ id: 'Note', fields: { type: 'Numeric' } }]
  requireOk(await rest.patch(`${rows}/columns`, { body: { columns: numeric } }))
  const renamed = [{ id: 'Note', fields: { colId: 'Remark', label: 'Remark' } }]
  requireOk(await rest.patch(`${rows}/columns`, { body: { columns: renamed } }))
  const form = formOf([['note.txt', `a note for ${table}`]])
  requireOk(await rest.post<number[]>(`${doc}/attachments`, { body: form }))
  const actions = [
    ['AddTable', 'Extra', [{ id: 'A', type: 'Int' }]],
    ['BulkAddRecord', 'Extra', [null, null], { A: [1, 'two'] }],
    ['RemoveRecord', table, id],
  ]
  requireOk(await rest.post(`${doc}/apply`, { body: actions }))
  const { changes } = requireOk(await rest.get<{ changes: { seq: number }[] }>(`${doc}/history`))
  requireOk(await rest.post(`${doc}/changes/${changes[0]?.seq ?? 0}/revert`))
  requireOk(await rest.post(`${doc}/attachments/updateUsed`))
  requireOk(await rest.post(`${doc}/attachments/removeUnused`))
}

describe('doctor --replay', () => {
  it('makes every document again from its base and its log: new, copied, and imported from any format', async () => {
    const { rest } = system.alice
    const made: string[] = []
    const created = await newDocument(rest, 'New')
    await addTable(rest, created, 'Pets', { Name: 'Text' })
    await change(rest, created, 'Pets')
    made.push(created)
    const { raw: xlsx } = await rest.get(`${created}/download/xlsx`)
    const { raw: sqlite } = await rest.get(`${created}/download`)
    const files: [string, string | Buffer][] = [
      ['people.csv', 'Name,Age\nAda,36\nGrace,"85"\n'],
      ['people.tsv', 'Name\tAge\nAda\t36\n'],
      ['people.json', '[{"Name":"Ada","Tags":["a","b"]},{"Name":"Grace"}]'],
      ['pets.xlsx', xlsx],
      ['pets.sqlite', sqlite],
    ]
    for (const [name, content] of files) {
      const { doc, table } = await importFile(rest, name, content)
      await change(rest, doc, table)
      made.push(doc)
    }
    const target = { documentName: 'Copy', workspaceId: await homeWorkspace(rest) }
    const copy = requireOk(await rest.post<string>(`${created}/copy`, { body: target }))
    await change(rest, `/api/docs/${copy}`, 'Pets')
    made.push(`/api/docs/${copy}`)
    const diagnosis = await replayAll()
    expect(made.flatMap((doc) => findingsAbout(diagnosis, doc))).toEqual([])
    expect(diagnosis.documents).toBe(made.length)
  })

  it('finds a cell that was changed without an entry, also one of the base', async () => {
    const { rest } = system.alice
    const { doc, table } = await importFile(rest, 'people.csv', 'Name,Age\nAda,36\nGrace,85\n')
    await addRecords(rest, `${doc}/tables/${table}`, [{ Name: 'Hedy' }])
    const folder = join(system.sheaf.dataDir, 'documents', idOf(doc).slice(0, 2), idOf(doc))
    const db = new Database(join(folder, 'document.sqlite'))
    db.exec(`UPDATE ${table} SET Name = 'Bob' WHERE id = 2`)
    db.close()
    expect(findingsAbout(await replayAll(), doc)).toEqual([
      `document ${idOf(doc)}: its log does not make it: column "Name" of row 2 of table "${table}" differs`,
    ])
  })

  it('tells a damaged base, and a machine that cannot replay, from a log that is wrong', async () => {
    const { rest } = system.alice
    const { doc } = await importFile(rest, 'people.csv', 'Name,Age\nAda,36\n')
    const { dataDir } = system.sheaf
    const folder = join(dataDir, 'documents', idOf(doc).slice(0, 2), idOf(doc))
    const check = join(__dirname, '../../services/document-data/dist/check.js')
    const env = { PATH: process.env.PATH, TMPDIR: '/no such folder' }
    const { stdout } = await run(process.execPath, [check, dataDir, '--replay'], { env })
    expect(stdout).toContain(`document ${idOf(doc)}: check failed: ENOENT`)
    expect(stdout).not.toContain('its log does not make it: ENOENT')
    await truncate(join(folder, 'base.sqlite.gz'), 100)
    expect(findingsAbout(await replayAll(), doc)).toEqual([
      `document ${idOf(doc)}: its base is damaged: unexpected end of file`,
    ])
  })
})
