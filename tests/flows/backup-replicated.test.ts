import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type InstanceName, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { addTable, newDocument } from '../support/system'

interface ListedInstance {
  readonly name: InstanceName
  readonly live: boolean
  readonly documents: number
}

const list = async (sheaf: RunningSheaf) =>
  JSON.parse(await sheaf.operate('instances', 'list', '--json')) as ListedInstance[]

describe('a backup with replication', () => {
  it('has the documents of an instance that no longer runs', async () => {
    await using folder = await tempDir()
    await using sheaf = await startSheaf({
      env: { SHEAF_REPLICATED: 'true', SHEAF_INSTANCES: '2' },
    })
    const owner = createRest(sheaf.url, sheaf.ownerKey)
    const paths = [await newDocument(owner, 'One'), await newDocument(owner, 'Two')]
    for (const path of paths) await addTable(owner, path, 'T', { A: 'Text' })
    const { name } = (await list(sheaf)).find(({ documents }) => documents > 0) ?? {}
    if (!name) throw new Error('no instance has a document')
    // It cannot be started again meanwhile.
    const pid = await sheaf.kill(name, 'SIGSTOP')
    await eventually(async () => (await list(sheaf)).some(({ live }) => !live))
    const made = join(folder.path, 'backup')
    await sheaf.operate('backup', made)
    const manifest = JSON.parse(await readFile(join(made, 'manifest.json'), 'utf8')) as {
      documents: { docId: string }[]
    }
    const docIds = manifest.documents.map(({ docId }) => `/api/docs/${docId}`)
    expect(docIds).toEqual(expect.arrayContaining(paths))
    await sheaf.kill(name)
    await sheaf.restarted(name, pid)
  })
})
