import { EvaluatorPool, type EvaluatorSession, type StartEvaluator } from './evaluator-pool'

const start: StartEvaluator = () => ({
  send: () => {},
  setWorking: () => {},
  kill: () => {},
  residentBytes: () => 0,
})
const never = new AbortController().signal

describe('evaluators', () => {
  it('of one user leave half of them to others', async () => {
    using pool = new EvaluatorPool(4, start)
    const first = await pool.acquire('a', 1, never)
    await pool.acquire('b', 1, never)
    let third: EvaluatorSession | undefined
    const waiting = pool.acquire('c', 1, never).then((session) => (third = session))
    const other = await pool.acquire('d', 2, never)
    const own = await pool.acquire('e', undefined, never)
    expect([other?.docId, own?.docId, third, pool.queued]).toEqual(['d', 'e', undefined, 1])
    if (first) pool.release(first)
    expect((await waiting)?.docId).toBe('c')
  })

  it('are given to whoever may have one, past those who have to wait for their share', async () => {
    using pool = new EvaluatorPool(2, start)
    await pool.acquire('a', 1, never)
    const second = await pool.acquire('b', 2, never)
    const givenUp = new AbortController()
    const blocked = pool.acquire('c', 1, givenUp.signal)
    const next = pool.acquire('d', 3, never)
    if (second) pool.release(second)
    expect((await next)?.docId).toBe('d')
    expect(pool.queued).toBe(1)
    givenUp.abort()
    expect(await blocked).toBeUndefined()
  })

  it('are not tried where none can be started', async () => {
    using pool = new EvaluatorPool(4, undefined)
    for (let i = 0; i < 20; i++) expect(await pool.acquire('a', 1, never)).toBeUndefined()
    expect(pool.figures).toMatchObject({ started: 0, ended: { failure: 0 } })
  })
})
