import type { CallContext } from '@sheaf/protos/call'
import type { ReadChangesResponse } from '@sheaf/protos/sheaf/document_data/v1/changes'
import type { DocumentClients } from '../document-calls'
import { readLog } from './log-pieces'

/** A document-data whose responses take this long each. */
function slowly(...waits: number[]) {
  async function* readChanges(_: unknown, { signal, deadline = 0 }: CallContext) {
    for (const [i, ms] of waits.entries()) {
      await new Promise<void>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('cancelled')))
        setTimeout(resolve, ms)
      })
      if (Date.now() > deadline) throw new Error('too late')
      const change = { seq: i + 1, operations: [] }
      yield { change, continued: false, latestSeq: waits.length } as unknown as ReadChangesResponse
    }
  }
  return {
    run: <T>(_: string, run: (clients: DocumentClients, call: { token: string }) => Promise<T>) =>
      run({ changes: { readChanges } } as unknown as DocumentClients, { token: '' }),
  }
}

async function readSeqs(calls: ReturnType<typeof slowly>): Promise<number[]> {
  const seqs: number[] = []
  for await (const { entries } of readLog(calls, { docId: 'd', afterSeq: 0, tableRefs: [] }))
    seqs.push(...entries.map(({ seq }) => seq))
  return seqs
}

describe('readLog', () => {
  beforeEach(() => jest.useFakeTimers())
  afterEach(() => jest.useRealTimers())

  it('gets to the end of a log that takes minutes, as long as something comes', async () => {
    const seqs = readSeqs(slowly(50_000, 50_000, 50_000))
    await jest.advanceTimersByTimeAsync(150_000)
    expect(await seqs).toEqual([1, 2, 3])
  })

  it('gives up when nothing comes for a minute', async () => {
    const failed = expect(readSeqs(slowly(0, 61_000))).rejects.toMatchObject({
      reason: 'DEADLINE_EXCEEDED',
    })
    await jest.advanceTimersByTimeAsync(60_000)
    await failed
  })
})
