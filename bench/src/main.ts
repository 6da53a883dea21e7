import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { closeConnections, type Target } from './http-load'
import { machine, renderTable, summarise, type Result } from './report'
import { columns } from './rows'
import { fill, TABLE_ROWS, workloads } from './workloads'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)

type Running<T> = T & AsyncDisposable

/** Starts the plain server in a process of its own. */
async function startPlain(): Promise<Running<Target>> {
  const folder = await tempDir()
  const child = spawn(process.execPath, [join(__dirname, 'plain-server.js'), folder.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    name: 'plain server',
    recordsUrl: `http://127.0.0.1:${line.toString().trim()}/records`,
    headers: {},
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Starts a whole Sheaf with its own engines, and makes the table over REST. */
async function startTarget(): Promise<Running<Target>> {
  const sheaf = await startSheaf({ ownEngines: true })
  const rest = createRest(sheaf.url, sheaf.ownerKey)
  const workspaces = await rest.get('/api/orgs/current/workspaces')
  const [workspace] = workspaces.body as { id: number }[]
  const doc = await rest.post(`/api/workspaces/${workspace?.id}/docs`, { body: { name: 'Bench' } })
  const table = {
    id: 'Customers',
    columns: Object.entries(columns).map(([id, type]) => ({ id, fields: { type } })),
  }
  await rest.post(`/api/docs/${String(doc.body)}/tables`, { body: { tables: [table] } })
  return {
    name: 'Sheaf',
    recordsUrl: `${sheaf.url}/api/docs/${String(doc.body)}/tables/Customers/records`,
    headers: { Authorization: `Bearer ${sheaf.ownerKey}` },
    [Symbol.asyncDispose]: () => sheaf[Symbol.asyncDispose](),
  }
}

async function main(): Promise<void> {
  await using sheaf = await startTarget()
  await using plain = await startPlain()
  for (const target of [sheaf, plain]) await fill(target)
  const results: Result[] = []
  for (const workload of workloads) {
    const figures = { sheaf: [] as number[], plain: [] as number[] }
    // In turn, so that whatever else the machine does falls on both.
    for (let round = 0; round < ROUNDS; round++) {
      figures.plain.push(await workload.measure(plain))
      figures.sheaf.push(await workload.measure(sheaf))
    }
    results.push({ workload, ...figures })
    process.stderr.write(`measured: ${workload.name}\n`)
  }
  closeConnections()
  const summaries = results.map(summarise)
  const about = {
    ...machine(),
    rows: TABLE_ROWS,
    columns: Object.keys(columns).length,
    rounds: ROUNDS,
  }
  writeFileSync(
    join(__dirname, '..', 'results.json'),
    `${JSON.stringify({ about, results: summaries }, null, 2)}\n`,
  )
  process.stdout.write(
    `${about.cores} cores (${about.cpu}), Node ${about.node}; table of ${about.rows} rows × ${about.columns} columns; ` +
      `medians of ${ROUNDS} rounds\n\n${renderTable(summaries)}\n\nwritten to bench/results.json\n`,
  )
}

void main()
