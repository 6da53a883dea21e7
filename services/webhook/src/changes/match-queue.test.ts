import { createLogger } from '@sheaf/kit/logger'
import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import type { DocumentMatcher } from './document-matcher'
import { MatchQueue } from './match-queue'

/** A queue in which matching the document `hot` blocks until it is released. */
function createQueue(defer: (docId: string) => Promise<void>) {
  const matched: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const epochs: (string | undefined)[] = []
  const match: DocumentMatcher['match'] = async (docId, { entries, epoch }) => {
    epochs.push(epoch)
    if (docId === 'hot') await held
    for (const { seq } of entries) matched.push(`${docId} ${seq}`)
    return 'done'
  }
  const onNone = () => {}
  const queue = new MatchQueue({ matcher: { match }, onNone, defer, log: createLogger('test') })
  const outcomes: string[] = []
  const add = (docId: string, seq: number, epoch = 'epoch') =>
    queue.add({
      docId,
      epoch,
      entries: [{ seq } as ChangeEvent],
      traceparent: '',
      done: () => outcomes.push(`${docId} ${seq} done`),
      failed: () => outcomes.push(`${docId} ${seq} failed`),
    })
  return { queue, add, matched, epochs, outcomes, release: () => release() }
}

describe('MatchQueue', () => {
  it('has room for others while one document comes faster than it is matched', async () => {
    const noted: string[] = []
    const { queue, add, matched, outcomes, release } = createQueue(async (docId) => {
      noted.push(docId)
      return Promise.resolve()
    })
    for (let seq = 1; seq <= 1_000; seq++) await add('hot', seq)
    await add('other', 1)
    expect(matched).toEqual(['other 1'])
    // Entries that did not fit are recorded before they count as done.
    expect(noted.length).toBe(outcomes.filter((outcome) => outcome.startsWith('hot')).length)
    expect(noted.length).toBeGreaterThan(500)
    release()
    while (outcomes.length < 1_001) await new Promise((resolve) => setImmediate(resolve))
    expect(matched).toHaveLength(1 + 1_000 - noted.length)
    await queue[Symbol.asyncDispose]()
  })

  it('does not take entries of several epochs for those of one', async () => {
    const { queue, add, epochs, outcomes, release } = createQueue(() => Promise.resolve())
    for (const [i, epoch] of ['old', 'old', 'new'].entries()) await add('hot', i + 1, epoch)
    release()
    while (outcomes.length < 3) await new Promise((resolve) => setImmediate(resolve))
    await add('hot', 4, 'new')
    await queue[Symbol.asyncDispose]()
    expect(epochs).toEqual(['old', undefined, 'new'])
  })

  it('gives back what finds no room and cannot be noted', async () => {
    const { queue, add, outcomes, release } = createQueue(() => Promise.reject(new Error('away')))
    for (let seq = 1; seq <= 102; seq++) await add('hot', seq)
    expect(outcomes).toEqual(['hot 102 failed'])
    release()
    await queue[Symbol.asyncDispose]()
  })
})
