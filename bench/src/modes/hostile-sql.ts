import type { Generator } from '../load/generator'
import type { Figure } from '../report'
import { addBody } from '../load/rows'
import type { SheafTarget } from '../target'

/** Concurrent statements; each is sent again when it completes. */
const HOSTILE = 50
const CLIENTS = 8
const BODIES = 500
const MEASURE_MS = 4_000
const WARM_UP_MS = 1_000

const count = 'with recursive c(n) as (select 1 union all select n + 1 from c)'
/** Each runs until its limit: of processor time, of memory, of rows. */
const statements = [
  `${count} select count(*) from c`,
  `${count} select hex(randomblob(200)) as a from c order by 1`,
  `${count} select n from c`,
  'select count(*) from Customers a, Customers b where a.Note < b.Note',
]

/**
 * Measures how hostile SQL on one document affects writes to another one: their rate alone, under load, and
 * the ratio.
 */
export async function measureHostileSql(
  generator: Generator,
  target: SheafTarget,
): Promise<Figure[]> {
  const { port, headers, sqlPath, rest } = target
  const path = await target.addDocument('Beside hostile SQL')
  const requests = Array.from({ length: BODIES }, (_, number) => ({
    method: 'POST',
    path,
    headers,
    body: addBody(number, 1),
  }))
  const write = async (ms: number) => {
    const { calls, ms: taken } = await generator.run({ port, clients: CLIENTS, requests, ms })
    return (calls / taken) * 1000
  }
  await write(WARM_UP_MS)
  const alone = await write(MEASURE_MS)
  let isOver = false
  const attack = async (number: number) => {
    while (!isOver)
      await rest.get(sqlPath, { query: { q: statements[number % statements.length] } })
  }
  const attacks = Array.from({ length: HOSTILE }, (_, number) => attack(number))
  await write(WARM_UP_MS)
  const beside = await write(MEASURE_MS)
  isOver = true
  await Promise.all(attacks)
  const name = `add one record, ${CLIENTS} clients`
  return [
    { name: `${name}, new document`, unit: 'req/s', sheaf: alone },
    { name: `the same beside ${HOSTILE} hostile SQL statements`, unit: 'req/s', sheaf: beside },
    { name: 'of their rate, the writes keep', unit: '%', sheaf: (beside / alone) * 100 },
  ]
}
