import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Load, LoadResult } from './load'

type Answer = { readonly result: LoadResult } | { readonly error: string }

/** A process that puts loads on servers, one after the other. */
export interface Generator extends AsyncDisposable {
  run(load: Load): Promise<LoadResult>
}

/** Starts a process of its own for the load, so that what measures and what is measured do not share a loop. */
export function startGenerator(): Generator {
  const child = fork(join(__dirname, 'generator-process.js'), { serialization: 'advanced' })
  const ended = once(child, 'exit')
  return {
    async run(load) {
      child.send(load)
      const [answer] = (await Promise.race([
        once(child, 'message'),
        ended.then(() => [{ error: 'the load generator ended' }]),
      ])) as [Answer]
      if ('error' in answer) throw new Error(answer.error)
      return answer.result
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
