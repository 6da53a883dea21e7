import { eventually } from '@sheaf/testkit/eventually'
import { defaultSqlLimits } from '../../src/config'
import { processorMs } from '../../src/processes/process-control'
import { listSqlProcesses } from '../support/processes'
import { runSql } from '../support/run-sql'
import { TestInstance } from '../support/test-instance'
import { buildWorkers } from '../support/test-store'

const LIMIT_MS = 100
const endless =
  'with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) from c'

describe('the time limit of SQL', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start({ sql: { ...defaultSqlLimits, timeoutMs: LIMIT_MS } })
    docId = await instance.clients.createDocument()
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  /** Starts a statement whose process gets no processor time. */
  const runStarved = async () => {
    await runSql(instance.clients, docId, 'select 1 as a')
    for (const pid of listSqlProcesses()) process.kill(pid, 'SIGSTOP')
    const answer = runSql(instance.clients, docId, 'select count(*) as n from Table1')
    answer.catch(() => {})
    const resume = () => listSqlProcesses().forEach((pid) => process.kill(pid, 'SIGCONT'))
    return { answer, resume }
  }

  it('does not fail a quick statement that a busy machine keeps waiting', async () => {
    const { answer, resume } = await runStarved()
    const begun = performance.now()
    await eventually(() => performance.now() - begun > 3 * LIMIT_MS)
    resume()
    expect(await answer).toEqual([{ n: 0 }])
  })

  it('does not count the time of earlier statements of the same process', async () => {
    const short =
      'with recursive c(n) as (select 1 union all select n + 1 from c limit 20000) select max(n) from c'
    const usedMs = () => listSqlProcesses().map((pid) => processorMs(pid) ?? 0)
    const before = Math.max(...usedMs())
    await eventually(async () => {
      await runSql(instance.clients, docId, short)
      return Math.max(...usedMs()) > before + 3 * LIMIT_MS
    })
    const { answer, resume } = await runStarved()
    const begun = performance.now()
    await eventually(() => performance.now() - begun > 3 * LIMIT_MS)
    resume()
    expect(await answer).toEqual([{ n: 0 }])
  })

  it('tells the caller to retry, not that the statement is slow, when the machine has no time for it', async () => {
    const { answer, resume } = await runStarved()
    await expect(answer).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'SERVICE_BUSY',
      metadata: { retryAfterMs: '1000' },
    })
    resume()
    expect(await runSql(instance.clients, docId, 'select 1 as a')).toEqual([{ a: 1 }])
  })

  it('ends a statement that uses its processor time', async () => {
    await expect(runSql(instance.clients, docId, endless)).rejects.toMatchObject({
      code: 'invalid',
      reason: 'SQL_TIMEOUT',
    })
  })
})
