import type { GrpcChannel } from '@sheaf/kit/grpc-client'
import type { HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { HomeChannels } from './home-channels'
import type { SystemCaller } from './system-caller'

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
  readonly system: SystemCaller
}

/** Knows whether all services and engines behind the gateway are ready. */
export class Readiness {
  private latest?: { at: number; missing: Promise<string[]> }

  constructor(private readonly sources: ReadinessSources) {}

  /** Names of what is not ready; none when Sheaf is. Never throws. */
  findMissing(): Promise<string[]> {
    const at = performance.now()
    if (!this.latest || at - this.latest.at > KEEP_MS) this.latest = { at, missing: this.ask() }
    return this.latest.missing
  }

  private async ask(): Promise<string[]> {
    const { directory, webhook } = this.sources
    const [hasDirectory, hasPostgres, hasWebhook, homes] = await Promise.all([
      directory.checkHealth('', CHECK_MS),
      directory.checkHealth('postgres', CHECK_MS),
      webhook.checkHealth('', CHECK_MS),
      this.findMissingHomes(),
    ])
    const missing = [...homes]
    if (!hasDirectory) missing.push('directory')
    if (!hasPostgres) missing.push('postgres')
    if (!hasWebhook) missing.push('webhook')
    return missing.sort()
  }

  private async findMissingHomes(): Promise<string[]> {
    const { homes, list, system } = this.sources
    try {
      const deadline = Date.now() + CHECK_MS
      const known = (await list.listHomes({}, { token: await system.token(), deadline })).homes
      // Compared with each other, since these times are of PostgreSQL's clock, which need not be ours.
      const latest = Math.max(...known.map(({ reportedAt }) => Date.parse(reportedAt)))
      const live = known.filter(
        ({ reportedAt }) => latest - Date.parse(reportedAt) < HOME_SILENT_MS,
      )
      if (live.length === 0) return ['document-data']
      const checks = live.map(async ({ name, address }) => {
        const { channel } = homes.at(address)
        const [serves, hasNats] = await Promise.all([
          channel.checkHealth('', CHECK_MS),
          channel.checkHealth('nats', CHECK_MS),
        ])
        if (!serves) return [name]
        return hasNats ? [] : ['nats']
      })
      return [...new Set((await Promise.all(checks)).flat())]
    } catch {
      return ['document-data']
    }
  }
}
