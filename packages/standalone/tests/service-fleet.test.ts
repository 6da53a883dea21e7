import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { ServiceFleet } from '../src/service-fleet'
import { PortTakenError } from '../src/start-error'

describe('ServiceFleet', () => {
  it('fails when another process has taken the port chosen for a service', async () => {
    await using folder = await tempDir()
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    const main = join(folder.path, 'main.js')
    const program = `
      const server = require('node:net').createServer().listen(${port}, '127.0.0.1')
      server.on('error', ({ message }) => { console.error(message); process.exit(1) })`
    await writeFile(main, program)
    const printer = { say: () => {}, relay: () => {}, show: () => {} }
    await using fleet = new ServiceFleet(
      [{ name: 'directory', main, env: {} }],
      `--sheaf=${folder.path}`,
      printer,
    )
    const started = fleet.whileStarting(() => new Promise(() => {}), AbortSignal.timeout(60_000))
    await expect(started).rejects.toThrow(PortTakenError)
    await new Promise((resolve) => holder.close(resolve))
  })

  it('gives up a program that cannot be loaded with the reason of the loader, not with the end of its stack', async () => {
    await using folder = await tempDir()
    const main = join(folder.path, 'main.js')
    await writeFile(main, `require('node:fs').readFileSync; throw new Error('built for\\nNode 99')`)
    const printer = { say: () => {}, relay: () => {}, show: () => {} }
    await using fleet = new ServiceFleet(
      [{ name: 'directory', main, env: {} }],
      `--sheaf=${folder.path}`,
      printer,
    )
    const started = fleet.whileStarting(() => new Promise(() => {}), AbortSignal.timeout(60_000))
    await expect(started).rejects.toThrow(
      /^directory failed to start .*Error: built for \| Node 99$/,
    )
  })
})
