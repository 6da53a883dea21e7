import type { Figure } from '../report'
import { median } from '../statistics'
import { Orders, type Parts } from './orders'

const CLIENTS = 8
const MEASURE_MS = 4_000
const WARM_UP_MS = 1_000
/** Each exceeds a limit of formulas, of time or of memory, or takes the memory of a large result. */
const hostile = [
  'while True: pass\nreturn 1',
  'parts = []\nwhile True: parts.append(bytearray(10 ** 7))\nreturn 1',
  'import re\nreturn re.match("(a+)+$", "a" * 64 + "b")',
  'return "x" * 10 ** 9',
]

/**
 * Measures how hostile formulas affect writes to another document: their rate alone, beside one document for each hostile
 * formula that is always changed again, and the share that remains.
 */
export async function measureHostileFormulas(parts: Parts, rounds: number): Promise<Figure[]> {
  const written = await Orders.create(parts, 100)
  const requests = written.additions()
  const write = async (ms: number) =>
    ((await written.send(requests, { clients: CLIENTS, ms })).length / ms) * 1_000
  const attacked = await Promise.all(hostile.map(() => Orders.create(parts, 100)))
  for (const orders of attacked) await orders.addColumn('hostile', '1')
  await write(WARM_UP_MS)
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push(await write(MEASURE_MS))
    let isOver = false
    const attacks = attacked.map(async (orders, index) => {
      for (let turn = 0; !isOver; turn++)
        await orders.setFormula('hostile', `${hostile[index]} # ${round} ${turn}`)
    })
    await write(WARM_UP_MS)
    beside.push(await write(MEASURE_MS))
    isOver = true
    await Promise.all(attacks)
  }
  const share = beside.map((rate, round) => (rate / (alone[round] ?? NaN)) * 100)
  const name = `add one record, ${CLIENTS} clients`
  return [
    { name: `${name}, alone`, unit: 'req/s', sheaf: median(alone) },
    {
      name: `the same beside ${hostile.length} hostile formulas`,
      unit: 'req/s',
      sheaf: median(beside),
    },
    {
      name: 'of their rate, the writes keep',
      unit: '%',
      sheaf: median(share),
      goal: { side: 'at least', value: 80, ratio: false },
    },
  ]
}
