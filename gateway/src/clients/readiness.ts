import type { SystemTokenSource } from '@sheaf/auth/system-token'
import type { GrpcChannel } from '@sheaf/kit/grpc/client'
import type { HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { HomeChannels } from './document-data-channels'

const CHECK_MS = 1_000
/** An answer is good for this long: the question costs several calls, and anybody may ask it. */
const KEEP_MS = 500
/** An instance that has been silent for longer is gone, and nobody waits for it. */
const HOME_SILENT_MS = 30_000

/** What readiness is made of. */
export interface ReadinessSources {
  readonly directory: Pick<GrpcChannel, 'checkHealth'>
  readonly webhook: Pick<GrpcChannel, 'checkHealth'>
  readonly homes: HomeChannels
  readonly list: Pick<HomesService, 'listHomes'>
  readonly system: SystemTokenSource
}

const noHome: ReadinessState = { missing: ['document-data'], eventsBacklog: 0 }

/** How Sheaf is. */
export interface ReadinessState {
  /** Names of what is not ready; none when Sheaf is. */
  readonly missing: readonly string[]
  /** Documents with changes that NATS has not confirmed, in the instances that answer. */
  readonly eventsBacklog: number
}

/** Knows whether all services and engines behind the gateway are ready. */
export class Readiness {
  private latest?: { at: number; state: Promise<ReadinessState> }

  constructor(private readonly sources: ReadinessSources) {}

  /** Asks all of them. Never throws. */
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
    return { missing: missing.sort(), eventsBacklog: homes.eventsBacklog }
  }

  private async askHomes(): Promise<ReadinessState> {
    const { homes, list, system } = this.sources
    try {
      const deadline = Date.now() + CHECK_MS
      const call = { token: await system.token(), deadline }
      const known = (await list.listHomes({}, call)).homes
      // Compared with each other, since these times are of PostgreSQL's clock, which need not be ours.
      const latest = Math.max(...known.map(({ reportedAt }) => Date.parse(reportedAt)))
      const live = known.filter(
        ({ reportedAt }) => latest - Date.parse(reportedAt) < HOME_SILENT_MS,
      )
      if (live.length === 0) return noHome
      const checks = live.map(async ({ name, address }) => {
        const { channel, changes } = homes.at(address)
        const [serves, hasNats, backlog] = await Promise.all([
          channel.checkHealth('', CHECK_MS),
          channel.checkHealth('nats', CHECK_MS),
          changes.getBacklog({}, call).catch(() => ({ documents: 0 })),
        ])
        const missing = serves ? (hasNats ? [] : ['nats']) : [name]
        return { missing, eventsBacklog: backlog.documents }
      })
      const states = await Promise.all(checks)
      return {
        missing: [...new Set(states.flatMap(({ missing }) => missing))],
        eventsBacklog: states.reduce((sum, { eventsBacklog }) => sum + eventsBacklog, 0),
      }
    } catch {
      return noHome
    }
  }
}
