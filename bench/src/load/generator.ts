import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Load, LoadResult } from './load'

type Answer = { readonly result: LoadResult } | { readonly error: string }

/** A process that runs loads against servers, sequentially. */
export interface Generator extends AsyncDisposable {
  run(load: Load): Promise<LoadResult>
}

/**
 * Starts a separate process for the load, so that the generator and the measured servers do not share an
 * event loop.
 */
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
