import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNatsServer } from './nats-install'

describe('findNatsServer', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-nats-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const plant = async (version: string) => {
    const file = join(folder, version, 'nats-server')
    await mkdir(join(folder, version))
    await writeFile(file, `#!/bin/sh\necho 'nats-server: v${version}'\n`, { mode: 0o755 })
    return file
  }

  it('uses the first recent enough server on the PATH and logs the older ones it ignored', async () => {
    const [old, recent] = [await plant('2.9.10'), await plant('2.11.4')]
    const messages: string[] = []
    const found = await findNatsServer({
      cacheDir: folder,
      path: `relative:${join(folder, 'missing')}:${join(old, '..')}:${join(recent, '..')}`,
      log: ({ message }) => messages.push(message),
    })
    expect(found).toBe(recent)
    expect(messages).toEqual([`ignoring ${old}: it is older than 2.10.0`])
  })
})
