import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from './start-error'

const LIMIT_MS = 60_000
const EVERY_MS = 50

/**
 * Resolves when the whole system reports that it is ready. Throws StartError with the reported reason
 * otherwise.
 */
export async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + LIMIT_MS
  for (;;) {
    const answer = await ask(`${url}/status?ready=1`)
    if (answer === 'ready') return
    signal.throwIfAborted()
    if (Date.now() > deadline) {
      throw new StartError(`Sheaf was not ready within ${LIMIT_MS / 1000} s: ${answer}`)
    }
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
    signal.throwIfAborted()
  }
}

async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
    const text = await response.text()
    return response.ok ? 'ready' : text
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } }
    return cause?.code ?? message
  }
}
