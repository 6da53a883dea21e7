import type { SystemTokenSource } from '@sheaf/auth/system-token'
import type { GrpcChannel } from '@sheaf/kit/grpc/client'
import type { GetBacklogResponse } from '@sheaf/protos/sheaf/document_data/v1/changes'
import type { HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { DocumentDataChannels } from './document-data-channels'

const CHECK_MS = 1_000
/** A result is reused for this long: a check costs several calls, and is open to everybody. */
const KEEP_MS = 500
/** An instance that has not reported for this long is gone and does not count. */
const HOME_SILENT_MS = 30_000

/** The dependencies that readiness checks. */
export interface ReadinessSources {
  readonly directory: Pick<GrpcChannel, 'checkHealth'>
  readonly webhook: Pick<GrpcChannel, 'checkHealth'>
  readonly documentData: DocumentDataChannels
  readonly homes: Pick<HomesService, 'listHomes'>
  readonly system: SystemTokenSource
}

/** With less free space than this, a busy instance may fail to write at any moment. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024

const noHome: ReadinessState = { missing: ['document-data'], eventsBacklog: 0, warnings: [] }

/** The result of a readiness check. */
export interface ReadinessState {
  /** Names of components that are not ready; empty when Sheaf is ready. */
  readonly missing: readonly string[]
  /** Documents with changes that NATS has not confirmed, summed over the instances that respond. */
  readonly eventsBacklog: number
  /** What impairs a Sheaf that is ready, one sentence each. */
  readonly warnings: readonly string[]
}

/** Checks whether all services and engines behind the gateway are ready. */
export class Readiness {
  private latest?: { at: number; state: Promise<ReadinessState> }

  constructor(private readonly sources: ReadinessSources) {}

  /** Checks all of them. Never throws. */
  find(): Promise<ReadinessState> {
    const at = performance.now()
    if (!this.latest || at - this.latest.at > KEEP_MS) this.latest = { at, state: this.ask() }
    return this.latest.state
  }

  private async ask(): Promise<ReadinessState> {
    const { directory, webhook } = this.sources
    const [hasDirectory, hasPostgres, hasWebhook, homes] = await Promise.all([
      directory.checkHealth('', CHECK_MS),
      directory.checkHealth('postgres', CHECK_MS),
      webhook.checkHealth('', CHECK_MS),
      this.askHomes(),
    ])
    const missing = [...homes.missing]
    if (!hasDirectory) missing.push('directory')
    if (!hasPostgres) missing.push('postgres')
    if (!hasWebhook) missing.push('webhook')
    return { ...homes, missing: missing.sort() }
  }

  private async askHomes(): Promise<ReadinessState> {
    const { documentData, homes, system } = this.sources
    try {
      const deadline = Date.now() + CHECK_MS
      const call = { token: await system.token(), deadline }
      const known = (await homes.listHomes({ withDocuments: false }, call)).homes
      // Compared with each other only: these times come from PostgreSQL's clock, which may differ from ours.
      const latest = Math.max(...known.map(({ reportedAt }) => Date.parse(reportedAt)))
      const live = known.filter(
        ({ reportedAt }) => latest - Date.parse(reportedAt) < HOME_SILENT_MS,
      )
      if (live.length === 0) return noHome
      const checks = live.map(async ({ name, address }) => {
        const { channel, changes } = documentData.at(address)
        const [serves, hasNats, backlog] = await Promise.all([
          channel.checkHealth('', CHECK_MS),
          channel.checkHealth('nats', CHECK_MS),
          changes.getBacklog({}, call).catch(() => undefined),
        ])
        return { name, serves, hasNats, backlog }
      })
      return judgeHomes(await Promise.all(checks))
    } catch {
      return noHome
    }
  }
}

/** What was found out about one instance. */
interface HomeState {
  readonly name: string
  readonly serves: boolean
  readonly hasNats: boolean
  /** Undefined when it did not answer. */
  readonly backlog: GetBacklogResponse | undefined
}

/** An instance that is away takes no other document with it, so gateways stay in use while any instance serves. */
function judgeHomes(homes: readonly HomeState[]): ReadinessState {
  const isAnyServing = homes.some(({ serves }) => serves)
  const away = homes.filter(({ serves }) => !serves).map(({ name }) => name)
  const hasNats = homes.every((home) => !home.serves || home.hasNats)
  return {
    missing: [...(isAnyServing ? [] : away), ...(hasNats ? [] : ['nats'])],
    eventsBacklog: homes.reduce((sum, { backlog }) => sum + (backlog?.documents ?? 0), 0),
    warnings: [
      ...(isAnyServing ? away.map((name) => `${name} does not respond`) : []),
      ...homes.flatMap(({ name, backlog }) => describeDisk(name, backlog)),
    ],
  }
}

function describeDisk(name: string, backlog: GetBacklogResponse | undefined): string[] {
  const { diskFull = false, freeBytes = Infinity } = backlog ?? {}
  if (diskFull)
    return [`${name}: the disk of the documents is full, and writes fail with DISK_FULL`]
  if (freeBytes >= LEAST_FREE_BYTES) return []
  const megabytes = Math.floor(freeBytes / 1024 / 1024)
  return [`${name}: only ${megabytes} MiB are free for documents, and writes may soon fail`]
}
