import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type RestReply } from '@sheaf/testkit/rest'
import { startSheaf, type InstanceName, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { addTable, newDocument } from '../support/system'

/*
 * The page of what a key has changed reads many documents. Those that do not answer are named, and the others are listed.
 */

interface Page {
  readonly changes: readonly { readonly docId: string }[]
  readonly unavailable: readonly { readonly docId: string; readonly docName: string }[]
}

/** Longer than documents are waited for, which is 10 s, and less than a request may take. */
const LONGEST_MS = 30_000

/** Makes documents with a key of their own. Returns their ids, and a client for the page of the key. */
async function makeDocuments(sheaf: RunningSheaf, names: readonly string[]) {
  const owner = createRest(sheaf.url, sheaf.ownerKey)
  const body = { name: 'agent' }
  const made = await owner.post<{ id: number; key: string }>('/api/profile/apikeys', { body })
  const agent = createRest(sheaf.url, made.body.key)
  const ids: string[] = []
  for (const name of names) {
    const path = await newDocument(owner, name)
    await addTable(agent, path, 'T', { A: 'Text' })
    ids.push(path.slice('/api/docs/'.length))
  }
  const list = () => owner.get<Page>(`/api/profile/apikeys/${made.body.id}/changes`)
  await eventually(async () => idsOf(await list()).length === ids.length)
  return { ids: ids.sort(), list }
}

type Answer = RestReply<Page>

const idsOf = ({ body }: Answer) => [...new Set(body.changes.map(({ docId }) => docId))].sort()

async function timed(list: () => Promise<Answer>): Promise<Answer> {
  const start = performance.now()
  const answer = await list()
  expect(performance.now() - start).toBeLessThan(LONGEST_MS)
  expect(answer.status).toBe(200)
  return answer
}

describe('the changes of a key', () => {
  it('name the documents of a process that hangs, and list them again after it', async () => {
    await using sheaf = await startSheaf({})
    const { ids, list } = await makeDocuments(sheaf, ['One', 'Two'])
    await sheaf.kill('document-data', 'SIGSTOP')
    const { body } = await timed(list)
    expect(body.changes).toEqual([])
    expect(body.unavailable.map(({ docId }) => docId).sort()).toEqual(ids)
    expect(body.unavailable.map(({ docName }) => docName).sort()).toEqual(['One', 'Two'])
    await sheaf.kill('document-data', 'SIGCONT')
    await eventually(async () => idsOf(await list()).length === 2)
  })

  it('are those of all other documents while one instance is down, and leave none out', async () => {
    await using sheaf = await startSheaf({
      env: { SHEAF_REPLICATED: 'true', SHEAF_INSTANCES: '2' },
    })
    const { ids, list } = await makeDocuments(sheaf, ['One', 'Two', 'Three', 'Four'])
    const instances = JSON.parse(await sheaf.operate('instances', 'list', '--json')) as {
      name: InstanceName
      documents: number
    }[]
    const { name } = instances.find(({ documents }) => documents > 0) ?? {}
    if (!name) throw new Error('no instance has a document')
    const pid = await sheaf.kill(name, 'SIGSTOP')
    const answer = await timed(list)
    const unavailable = answer.body.unavailable.map(({ docId }) => docId)
    // Each is listed or named: another instance may have taken it over meanwhile.
    expect([...idsOf(answer), ...unavailable].sort()).toEqual(ids)
    await sheaf.kill(name)
    await sheaf.restarted(name, pid)
    await eventually(async () => idsOf(await list()).length === ids.length)
  })
})
