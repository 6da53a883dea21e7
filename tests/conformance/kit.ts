import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createRest } from '@sheaf/testkit/rest'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'

const run = promisify(execFile)

/** Where what the kit has found last is kept, with every reason: for people. */
const results = join(__dirname, '../../test-results')

/** The kit waits some seconds for each thing that does not happen; beyond this it is stuck. */
const LIMIT_MS = 1_200_000

/** What the kit says about one step. */
export interface Step {
  readonly area: string
  readonly scenario: string
  /** Place of the step in its scenario, from 1. */
  readonly step: number
  readonly method: string
  readonly path: string
  readonly pass: boolean
  /** Why it has failed; null when it has passed. */
  readonly reason: string | null
}

/** Where the kit is looked for: SHEAF_CONFORMANCE_DIR, or beside the folder of the project. */
export const kitFolder = resolve(
  process.env.SHEAF_CONFORMANCE_DIR ?? join(__dirname, '../../../shared/conformance'),
)

/** Whether the kit is there. */
export function hasKit(): boolean {
  return existsSync(join(kitFolder, 'replay.mjs'))
}

/** The settings that the kit asks of the system it is run against, and time for formulas on a busy machine. */
export const kitSettings = {
  SHEAF_FORMULA_EVALUATORS: '8',
  SHEAF_FORMULA_MS: '20000',
  SHEAF_MAX_BODY_MB: '1',
  SHEAF_RATE_LIMIT: '0',
  SHEAF_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
}

const roles = ['owner', 'editor', 'viewer', 'stranger'] as const

/** Makes the users and the team site that the kit asks for; the rest of its configuration is the address. */
async function prepare(sheaf: RunningSheaf): Promise<object> {
  const users = await Promise.all(
    roles.map(async (role) => {
      const name = role.charAt(0).toUpperCase() + role.slice(1)
      return [role, await sheaf.createUser(`${role}@example.com`, name)] as const
    }),
  )
  const owner = createRest(sheaf.url, users[0]?.[1].key)
  const made = await owner.post('/api/orgs', { body: { name: 'Bench', domain: 'bench' } })
  if (made.status !== 200) throw new Error(`the team site was not made: ${made.text}`)
  return {
    baseUrl: sheaf.url,
    teamPrefix: '/o/bench',
    teamDomain: 'bench',
    timeoutMs: 60_000,
    users: Object.fromEntries(users),
  }
}

/**
 * Replays the whole kit against a Sheaf that nobody has used yet; resolves to what became of each step, which it also
 * writes to a file of this name in `test-results`.
 */
export async function replay(sheaf: RunningSheaf, file: string): Promise<Step[]> {
  const outcome = join(results, file)
  await using folder = await tempDir()
  const target = join(folder.path, 'target.json')
  await writeFile(target, JSON.stringify(await prepare(sheaf)))
  await rm(outcome, { force: true })
  await mkdir(dirname(outcome), { recursive: true })
  const recorded = join(kitFolder, 'recorded/public')
  const args = ['--config', target, '--recorded', recorded, '--json', outcome]
  try {
    await run(process.execPath, [join(kitFolder, 'replay.mjs'), ...args], {
      timeout: LIMIT_MS,
      maxBuffer: 64 * 1024 * 1024,
    })
  } catch (error) {
    // It ends with 1 when a step has failed, which the outcome tells better.
    const { code } = error as { code?: unknown }
    if (code !== 1 || !existsSync(outcome)) {
      throw new Error('the conformance kit did not run to its end', { cause: error })
    }
  }
  const { steps } = JSON.parse(await readFile(outcome, 'utf8')) as { steps: Step[] }
  return steps
}
