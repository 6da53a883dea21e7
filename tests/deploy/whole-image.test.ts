import { chmodSync, chownSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProcesses } from '@sheaf/engines/process-table'
import { openWith } from '@sheaf/kit/lifecycle'
import { createRest } from '@sheaf/testkit/rest'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { imageUser, layOutImage, spawnImage } from './image-process'

/** The environment and the program of the image that holds everything. */
function readStage(): { env: Record<string, string>; args: string[] } {
  const dockerfile = readFileSync(join(__dirname, '../../deploy/Dockerfile'), 'utf8')
  const [, stage = ''] = /\nFROM base AS sheaf\n([^]*?)\n# The last stage/.exec(dockerfile) ?? []
  const env = [...stage.matchAll(/^ENV (\w+)="?([^"\n]+)"?$/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  const [, command = '[]'] = /^ENTRYPOINT (.+)$/m.exec(stage) ?? []
  const [node, ...args] = JSON.parse(command) as string[]
  expect(node).toBe('node')
  return { env: Object.fromEntries(env) as Record<string, string>, args }
}

const list = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

/** The lines of warnings and errors. */
function warningsIn(printed: string): string[] {
  return printed.split('\n').filter((line) => /"level":[456]0\b|\bwarn/i.test(line))
}

/** The folder of the image, and one for the volume. */
function createFolders() {
  return openWith(async (closer) => {
    const { path } = closer.use(await tempDir())
    const image = join(path, 'image')
    const data = join(path, 'data')
    mkdirSync(data, { mode: 0o700 })
    chmodSync(path, 0o755)
    if (imageUser) chownSync(data, imageUser.uid, imageUser.gid)
    layOutImage('sheaf', image)
    return { image, data, [Symbol.asyncDispose]: () => closer.close() }
  })
}

/** Starts the image as a container does, with nothing but its own environment, on a free port. */
async function start({ image, data }: { image: string; data: string }) {
  const { env, args } = readStage()
  // The Node of this test is not where the image has it.
  const path = `${env.PATH?.replace('/sheaf/bin', join(image, 'bin'))}`
  const started = spawnImage(image, args, {
    ...env,
    PATH: path,
    SHEAF_DATA: data,
    SHEAF_PORT: '0',
    SHEAF_LOOP_DELAY_MS: '60000',
  })
  const printed = await started.whenPrinted((text) =>
    text.includes('Press Ctrl+C to stop') ? text : false,
  )
  const url = /URL +(http:\S+)/.exec(printed)?.[1] ?? ''
  return { ...started, url, key: /API key +(shf_\S+)/.exec(printed)?.[1] }
}

describe('the image with all of Sheaf', () => {
  it('starts without downloads, keeps its data in one volume over a restart, writes nowhere else, and warns of nothing', async () => {
    await using folders = await createFolders()
    const before = list(folders.image)
    const { doc, key } = await (async () => {
      await using sheaf = await start(folders)
      expect(sheaf.printed()).not.toContain('downloading')
      expect(sheaf.printed()).toContain('docker compose exec sheaf node sheaf.js keys create')
      const { key = '' } = sheaf
      const rest = createRest(sheaf.url, key)
      const doc = await newDocument(rest)
      await addTable(rest, doc, 'Pets', { Name: 'Text' })
      await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Rex' }])
      const sql = await rest.post(`${doc}/sql`, { body: { sql: 'select Name from Pets' } })
      expect(sql.body).toMatchObject({ records: [{ fields: { Name: 'Rex' } }] })
      expect(await sheaf.stop()).toBe(0)
      expect(warningsIn(sheaf.printed())).toEqual([])
      return { doc, key }
    })()
    await using again = await start(folders)
    expect(again.key).toBeUndefined()
    const rest = createRest(again.url, key)
    expect(await readRecords(rest, `${doc}/tables/Pets`)).toMatchObject([
      { fields: { Name: 'Rex' } },
    ])
    expect(await again.stop()).toBe(0)
    expect(warningsIn(again.printed())).toEqual([])
    expect(list(folders.image)).toEqual(before)
  })

  it('leaves no engine running when a test ends before it has stopped it', async () => {
    await using folders = await createFolders()
    const engines = () => [
      ...findProcesses('nats-server', join(folders.data, 'nats/nats.conf')),
      ...findProcesses('postgres', join(folders.data, 'postgres')),
    ]
    {
      await using sheaf = await start(folders)
      expect(sheaf.printed()).toContain('URL')
      expect(engines()).toHaveLength(2)
    }
    expect(engines()).toEqual([])
  })
})
