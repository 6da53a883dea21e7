import type { Generator } from './load/generator'
import { withCpu } from './process-usage'
import type { Target } from './target'
import type { Workload } from './workloads'

const ROUND_MS = 1_500
const WARM_UP_MS = 1_500

/** What one workload measured on one target, an item per round. */
export interface Side {
  readonly figures: number[]
  /** CPU time of one call in all services together, in milliseconds. */
  readonly cpu: number[]
}

/** What `measureInTurn` needs. */
export interface InTurn {
  readonly generator: Generator
  readonly targets: readonly Target[]
  readonly rounds: number
}

/** Runs a workload on several targets in turn, so that other load on the machine affects all of them. */
export async function measureInTurn(setup: InTurn, workload: Workload): Promise<Side[]> {
  const { generator, targets, rounds } = setup
  const { clients, atLeast } = workload
  const sides = targets.map((): Side => ({ figures: [], cpu: [] }))
  for (const target of targets) {
    const requests = workload.requests(target)
    await generator.run({ port: target.port, clients, requests, ms: WARM_UP_MS })
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, target] of targets.entries()) {
      const requests = workload.requests(target)
      const load = { port: target.port, clients, requests, ms: ROUND_MS, atLeast }
      const { engines: _, ...pids } = await target.pids()
      const { result, cpu } = await withCpu(pids, () => generator.run(load))
      sides[index]?.figures.push(workload.figure(result))
      const all = Object.values(cpu).reduce((sum, ms) => sum + ms, 0)
      sides[index]?.cpu.push(all / result.calls)
    }
  }
  return sides
}
