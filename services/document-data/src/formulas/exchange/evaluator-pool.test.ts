import { EvaluatorPool, type EvaluatorSession } from './evaluator-pool'

const SIZE = 4
const never = new AbortController().signal

/** A pool whose evaluators do nothing. */
function createPool(): EvaluatorPool {
  return new EvaluatorPool(SIZE, (handlers) => ({
    send: () => {},
    setWorking: () => {},
    residentBytes: () => 0,
    kill: () => handlers.onExit({ cause: 'killed', code: null, signal: null, stderr: '' }),
  }))
}

/** Acquires an evaluator, and records the document when it has one. */
function createAcquire(pool: EvaluatorPool) {
  const served: string[] = []
  const acquire = async (user: number, document: string) => {
    const session = await pool.acquire({ user, document }, never)
    served.push(document)
    return session as EvaluatorSession
  }
  return { served, acquire }
}

describe('the evaluators', () => {
  it('are not all used by the documents of one user: those of others come before them', async () => {
    using pool = createPool()
    const { served, acquire } = createAcquire(pool)
    const first = await acquire(1, 'a1')
    const others = ['a2', 'a3', 'a4', 'a5'].map((document) => acquire(1, document))
    await acquire(2, 'b1')
    expect(served).toEqual(['a1', 'a2', 'a3', 'b1'])
    expect(pool.queued).toBe(2)
    const later = [acquire(2, 'b2'), acquire(3, 'c1')]
    pool.release(first)
    await later[1]
    expect(served.at(-1)).toBe('c1')
    pool.release(await (others[0] as Promise<EvaluatorSession>))
    pool.release(await (others[1] as Promise<EvaluatorSession>))
    await others[2]
    expect(served.at(-1)).toBe('a4')
    expect(pool.queued).toBe(2)
  })

  it('are given to users in turn when all are in use', async () => {
    using pool = createPool()
    const { served, acquire } = createAcquire(pool)
    const used = await Promise.all([1, 2, 3, 4].map((user) => acquire(user, `used by ${user}`)))
    const waiting = [acquire(5, 'a1'), acquire(5, 'a2'), acquire(6, 'b1'), acquire(7, 'c1')]
    served.length = 0
    for (const session of used) pool.release(session)
    const [a1] = await Promise.all([waiting[0], waiting[2], waiting[3]])
    expect(served).toEqual(['a1', 'b1', 'c1'])
    pool.release(a1 as EvaluatorSession)
    await waiting[1]
    expect(pool.running).toBe(SIZE)
  })

  it('are kept for documents that use them again, and end for others only while they are not in use', async () => {
    using pool = createPool()
    const { acquire } = createAcquire(pool)
    const kept = await acquire(1, 'kept')
    for (let i = 0; i < SIZE; i++) pool.release(await acquire(2, `other ${i}`))
    expect(pool.find('kept')).toBe(kept)
    pool.release(kept)
    expect(await acquire(1, 'kept')).toBe(kept)
    expect(pool.running).toBe(SIZE)
    expect(pool.figures).toMatchObject({ started: SIZE + 1, ended: { unused: 1 } })
  })

  it('are no longer awaited after a cancellation, which takes nobody’s share', async () => {
    using pool = createPool()
    const { acquire } = createAcquire(pool)
    const [first] = await Promise.all(['a0', 'b0', 'c0'].map((document) => acquire(1, document)))
    const cancelled = new AbortController()
    const waiting = pool.acquire({ user: 1, document: 'a2' }, cancelled.signal)
    cancelled.abort()
    expect(await waiting).toBeUndefined()
    expect(await pool.acquire({ user: 1, document: 'a2' }, cancelled.signal)).toBeUndefined()
    pool.release(first as EvaluatorSession)
    expect(await acquire(1, 'a3')).toBeDefined()
  })
})
