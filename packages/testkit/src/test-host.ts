import { readFile } from 'node:fs/promises'
import { openOperator, type Operator } from '@sheaf/cli/operator'
import { findRunFile, serviceKeyPath } from '@sheaf/cli/run-file'
import { Closer } from '@sheaf/kit/lifecycle'
import { DescribedStatuses } from './described-statuses'
import type { HostRequests, SheafUser } from './host-requests'
import { startSheaf, type RunningSheaf } from './sheaf'

/** Keeps what the suites of a run share: one Sheaf for each worker of jest. Disposing stops them. */
export class TestHost implements HostRequests, AsyncDisposable {
  private readonly sheaves = new Map<string, Promise<RunningSheaf>>()
  private readonly statuses = new DescribedStatuses()

  async sheaf({ worker, env }: Parameters<HostRequests['sheaf']>[0]): Promise<RunningSheaf> {
    const name = JSON.stringify([worker, env])
    const sheaf = this.sheaves.get(name) ?? startSheaf({ env })
    this.sheaves.set(name, sheaf)
    // A start that failed is tried again by the next suite.
    sheaf.catch(() => this.sheaves.delete(name))
    await this.statuses.learn((await sheaf).url)
    return sheaf
  }

  async describe({ url }: Parameters<HostRequests['describe']>[0]): Promise<null> {
    await this.statuses.learn(url)
    return null
  }

  async findUndescribed(
    request: Parameters<HostRequests['findUndescribed']>[0],
  ): Promise<string[]> {
    const seen = [...request.seen]
    for (const [name, sheaf] of this.sheaves) {
      const [worker] = JSON.parse(name) as [string]
      if (worker === request.worker) seen.push(...(await sheaf).takeStatuses())
    }
    return this.statuses.findUndescribed(seen)
  }

  async user(request: Parameters<HostRequests['user']>[0]): Promise<SheafUser> {
    await using operator = await openOperatorOf(request.dataDir)
    const { user } = await operator.ensureUser(request.email, request.name)
    const { key } = await operator.createKey(user.id, { mayBeDefault: true })
    const { id, email, name } = user
    return { id, email, name, key }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closer = new Closer()
    for (const started of await Promise.allSettled(this.sheaves.values())) {
      if (started.status === 'fulfilled') closer.use(started.value)
    }
    await closer.close()
  }
}

async function openOperatorOf(dataDir: string): Promise<Operator> {
  const run = await findRunFile(dataDir)
  if (run === undefined) throw new Error(`no Sheaf runs with the data folder ${dataDir}`)
  const serviceKey = (await readFile(serviceKeyPath(dataDir), 'utf8')).trim()
  return openOperator({ directoryAddress: run.addresses.directory, serviceKey })
}
