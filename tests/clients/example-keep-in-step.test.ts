import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Sheaf, type Doc } from '@sheaf/client'
import { eventually } from '@sheaf/testkit/eventually'
import { homeWorkspace, useSystem } from '../support/system'

/* examples/keep-in-step.mjs, run as its readers run it. */

const system = useSystem()
const examples = join(__dirname, '../../examples')

/** Two documents: an original with the table People, and an empty one. */
async function makeDocuments(): Promise<{ source: Doc; copy: Doc }> {
  const { url, ownerKey: key } = system.sheaf
  const sheaf = new Sheaf({ url, key })
  const workspaceId = await homeWorkspace(system.alice.rest)
  const source = await sheaf.documents.create({ workspaceId, name: 'Source' })
  const copy = await sheaf.documents.create({ workspaceId, name: 'Copy' })
  await source.addTables([
    {
      id: 'People',
      columns: [
        { id: 'Name', fields: { type: 'Text' } },
        { id: 'Born', fields: { type: 'Date' } },
        { id: 'Tags', fields: { type: 'ChoiceList' } },
        { id: 'Upper', fields: { isFormula: true, formula: '$Name.upper()' } },
        { id: 'Boss', fields: { type: 'Ref:People' } },
      ],
    },
  ])
  return { source, copy }
}

describe('keep-in-step.mjs', () => {
  const argumentsOf = ({ source, copy }: { source: Doc; copy: Doc }, follow = 'yes') => {
    const { url: URL, ownerKey: KEY } = system.sheaf
    const env = { PATH: process.env.PATH, URL, KEY, SOURCE: source.id, COPY: copy.id }
    return {
      args: [join(examples, 'keep-in-step.mjs'), 'People'],
      options: { env: { ...env, FOLLOW: follow } },
    }
  }

  /** Copies once, and ends. */
  async function copyOnce(docs: { source: Doc; copy: Doc }): Promise<void> {
    const { args, options } = argumentsOf(docs, 'no')
    await promisify(execFile)(process.execPath, args, options)
  }

  /** Starts to follow; resolves when the script says so. */
  async function follow(docs: { source: Doc; copy: Doc }): Promise<{ kill: () => Promise<void> }> {
    const { args, options } = argumentsOf(docs)
    const child = spawn(process.execPath, args, {
      ...options,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const closed = once(child, 'close')
    return {
      async kill() {
        child.kill('SIGKILL')
        await closed
      },
    }
  }

  async function expectSame({ source, copy }: { source: Doc; copy: Doc }, columns: string[]) {
    const originals = await source.table('People').all({ fields: columns })
    const copies = await copy.table('People').all({ sort: 'SourceId' })
    expect(copies.map(({ fields }) => fields)).toEqual(
      originals.map(({ id, fields }) => ({ SourceId: id, ...fields })),
    )
  }

  it('copies tables, and later what has changed', async () => {
    const docs = await makeDocuments()
    const people = docs.source.table('People')
    await people.add(Array.from({ length: 1_200 }, (_, index) => ({ Name: `P${index}` })))
    await people.update([{ id: 7, fields: { Born: '1815-12-10', Tags: ['L', 'a', 'b'] } }])
    await copyOnce(docs)
    await expectSame(docs, ['Name', 'Born', 'Tags'])
    await people.delete([3, 4, 5])
    await people.columns.add([{ id: 'Age', fields: { type: 'Int' } }])
    await docs.source.batch([
      { op: 'addRecords', table: 'People', records: [{ id: '$a', fields: { Name: 'Gone' } }] },
      { op: 'addRecords', table: 'People', records: [{ fields: { Name: 'New', Age: 3 } }] },
      { op: 'updateRecords', table: 'People', records: [{ id: 8, fields: { Age: 'old' } }] },
      { op: 'deleteRecords', table: 'People', records: [{ id: '$a' }] },
    ])
    await copyOnce(docs)
    await expectSame(docs, ['Name', 'Born', 'Tags', 'Age'])
  })

  it('copies all rows again when the document was replaced, so that its changes are others', async () => {
    const docs = await makeDocuments()
    const people = docs.source.table('People')
    await people.add([{ Name: 'Ann' }, { Name: 'Bob' }])
    await copyOnce(docs)
    const copies = docs.copy.table('People')
    await copies.update([{ id: 1, fields: { Name: 'of the former log' } }])
    await copies.add([{ SourceId: 9, Name: 'of the former log' }])
    await docs.copy.table('InStep').update([{ id: 1, fields: { Seq: 2, ETag: 'W/"former.2"' } }])
    await copyOnce(docs)
    await expectSame(docs, ['Name', 'Born', 'Tags'])
  })

  it('follows changes, and continues after it was killed', async () => {
    const docs = await makeDocuments()
    const people = docs.source.table('People')
    const expectInStep = () => eventually(() => expectSame(docs, ['Name', 'Born', 'Tags']))
    for (let start = 0; start < 3; start++) {
      const script = await follow(docs)
      const [id = 0] = await people.add([{ Name: `A${start}` }, { Name: `B${start}` }])
      await expectInStep()
      await people.update([{ id, fields: { Name: 'Changed' } }])
      await people.add(Array.from({ length: 50 }, () => ({ Name: 'Late' })))
      await people.delete([id + 1])
      await script.kill()
    }
    await copyOnce(docs)
    await expectSame(docs, ['Name', 'Born', 'Tags'])
  })
})
