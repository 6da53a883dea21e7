import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProcesses } from '@sheaf/engines/process-table'
import { eventually } from '@sheaf/testkit/eventually'
import { ServiceProcess } from '../src/service-process'

describe('ServiceProcess', () => {
  let folder: string
  let lines: string[]
  let deaths: { reason: string; lastLines: string[] }[]
  const running: ServiceProcess[] = []
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-service-'))
    lines = []
    deaths = []
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service[Symbol.asyncDispose]()))
    await rm(folder, { recursive: true })
  })

  async function start(program: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
    const main = join(folder, 'main.js')
    await writeFile(main, program)
    const service = new ServiceProcess({ name: 'directory', main, env }, `--sheaf=${folder}`, {
      line: (line) => lines.push(line),
      started: () => {},
      died: (death) => deaths.push(death),
    })
    running.push(service)
    return service
  }

  const idle = `
    process.on('SIGTERM', () => { console.log('drained'); process.exit(0) })
    process.on('disconnect', () => process.exit(0))
    console.log('runs', process.pid, Object.keys(process.env).join())
    setInterval(() => {}, 1000)`

  it('restarts a killed service with only its own environment', async () => {
    const service = await start(idle, { SHEAF_INSTANCE_NAME: 'x' })
    await eventually(() => lines.length === 1)
    const first = service.pid ?? 0
    process.kill(first, 'SIGKILL')
    await eventually(() => lines.length === 2)
    expect(service.pid).not.toBe(first)
    expect(lines[1]).toBe(`runs ${service.pid} MALLOC_ARENA_MAX,SHEAF_INSTANCE_NAME`)
    expect(deaths).toMatchObject([{ reason: 'SIGKILL', deaths: 1 }])
  })

  it('waits for a stopped service to exit, and does not restart it', async () => {
    const service = await start(idle)
    await eventually(() => lines.length === 1)
    await service[Symbol.asyncDispose]()
    expect(lines.at(-1)).toBe('drained')
    expect(deaths).toEqual([])
    expect(findProcesses('node', `--sheaf=${folder}`)).toEqual([])
  })

  it('restarts a service each time it fails, and reports its last output', async () => {
    await start(`console.error('no database'); process.exitCode = 3; process.disconnect()`)
    await eventually(() => deaths.length === 3)
    expect(deaths[0]).toMatchObject({ reason: 'exit code 3', lastLines: ['no database'] })
  })
})
