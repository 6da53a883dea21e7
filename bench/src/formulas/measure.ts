import { startGenerator } from '../load/generator'
import type { WireRequest } from '../load/http-connection'
import type { Options } from '../options'
import type { Figure, Report } from '../report'
import { median, type Goal } from '../statistics'
import { startSheafTarget } from '../target'
import { measureHostileFormulas } from './hostile'
import { measureManyDocuments } from './many-documents'
import { formulas, Orders, type Parts } from './orders'

/** Rows of the tables; larger ones than `--rows` are left out, … */
const SIZES = [10_000, 100_000]
/** … and this one, which takes much longer, is only measured with `--whole`. */
const LARGEST = 1_000_000
/** The size that the goals are for. */
const GOAL_ROWS = 100_000
const EVALUATORS = 4
const DOCUMENTS = 8
const DOCUMENT_ROWS = 1_000
const ROUND_MS = 2_000
const WARM_UP_CALLS = 50

const atMost = (value: number, aim?: number): Goal => ({
  side: 'at most',
  value,
  ratio: false,
  ...(aim !== undefined && { aim }),
})

/** Measures formulas, compiled and in Python, with the same edits without a formula beside them. */
export async function measureFormulas(
  options: Options,
  env: Record<string, string>,
): Promise<Report> {
  await using generator = startGenerator()
  const settings = { SHEAF_FORMULA_EVALUATORS: String(EVALUATORS), ...env }
  await using compiled = await startSheafTarget(settings)
  await using python = await startSheafTarget({ ...settings, SHEAF_FORMULA_COMPILER: 'false' })
  const figures: Figure[] = []
  const { rounds } = options
  const sizes = [...SIZES, ...(options.whole ? [LARGEST] : [])].filter(
    (rows) => rows <= options.rows,
  )
  const measure = async (name: string, run: () => Promise<Figure[]>) => {
    if (!name.includes(options.only)) return
    figures.push(...(await run()))
    process.stderr.write(`measured: ${name}\n`)
  }
  const ways = { compiled, python }
  for (const rows of sizes)
    for (const [way, target] of Object.entries(ways))
      await measure(`table of ${rows} rows, ${way}`, async () =>
        (await measureTable({ target, generator }, rows, rounds)).map(named(way)),
      )
  for (const [way, target] of Object.entries(ways))
    await measure(`documents in turn, ${way}`, async () =>
      (await measureInTurn({ target, generator }, rounds)).map(named(way)),
    )
  await measure('many documents', () => measureManyDocuments(env))
  const parts: Parts = { target: compiled, generator }
  await measure('hostile formulas', () => measureHostileFormulas(parts, rounds))
  const about =
    `Tables of ${sizes.join(', ')} rows × 3 columns; medians of ${rounds} rounds, compiled and with all formulas in Python. A ` +
    'new column is measured from the request until no cell is pending. Edits are of one row at a time, by one client. For ' +
    `the first edit, the evaluator of the document has ended for other documents; ${EVALUATORS} evaluators at most. Many documents have 20 rows each, a product and a count over a lookup.`
  return { mode: 'formulas', about, figures, tables: [] }
}

function named(way: string): (figure: Figure) => Figure {
  return (figure) => ({ ...figure, name: `${way}: ${figure.name}` })
}

async function measureTable(parts: Parts, rows: number, rounds: number): Promise<Figure[]> {
  const named = (name: string) => `${name}, ${rows} rows`
  const goal = (value: number, aim?: number) =>
    rows === GOAL_ROWS ? atMost(value, aim) : undefined
  const plain = await Orders.create(parts, rows)
  const orders = await Orders.create(parts, rows)
  const columns = await measureColumns(plain, orders, rounds)
  const edits = await measureBeside(plain, orders, (of) => of.quantityEdits(), rounds)
  await orders.addColumn('shared', formulas.shared)
  const keys = await measureBeside(plain, orders, (of) => of.keyEdits(), rounds)
  const first = await measureFirst(parts, orders, rounds)
  const totals = await measureTotals(plain, orders, rounds)
  return [
    { name: named('new column without a formula'), unit: 'ms', sheaf: columns.plain },
    {
      name: named('new column `$qty * $price`'),
      unit: 'ms',
      sheaf: columns.computed,
      goal: goal(800, 200),
    },
    { name: named('edit a quantity, no formula'), unit: 'ms', sheaf: edits.plain },
    { name: named('edit a quantity, `$qty * $price`'), unit: 'ms', sheaf: edits.computed },
    {
      name: named('edit a quantity: the formula takes'),
      unit: 'ms',
      sheaf: edits.computed - edits.plain,
      goal: goal(0.6, 0.1),
    },
    { name: named('edit a key, no formula'), unit: 'ms', sheaf: keys.plain },
    {
      name: named('edit a key that 100 rows share and count'),
      unit: 'ms',
      sheaf: keys.computed,
      goal: goal(10, 4),
    },
    {
      name: named('first quantity after the evaluator has ended'),
      unit: 'ms',
      sheaf: first.quantity,
      goal: goal(1_000),
    },
    {
      name: named('first key after the evaluator has ended'),
      unit: 'ms',
      sheaf: first.key,
      goal: goal(1_000),
    },
    { name: named('edit a quantity of a sum over all rows'), unit: 'ms', sheaf: totals.whole },
    { name: named('edit a quantity of a sum of floats'), unit: 'ms', sheaf: totals.float },
  ]
}

/** Edits of one row while a formula adds up all rows: whole numbers, or floats, which are added in order. */
async function measureTotals(
  plain: Orders,
  orders: Orders,
  rounds: number,
): Promise<{ whole: number; float: number }> {
  await orders.addColumn('group')
  const measure = async (formula: string) => {
    await orders.addTotal('Totals', formula)
    const { computed } = await measureBeside(plain, orders, (of) => of.quantityEdits(), rounds)
    await orders.removeTable('Totals')
    return computed
  }
  return { whole: await measure(formulas.sum), float: await measure(formulas.floatSum) }
}

interface Sides {
  readonly plain: number
  readonly computed: number
}

/** A column without and with a formula, in turn; the last one with a formula stays. */
async function measureColumns(plain: Orders, orders: Orders, rounds: number): Promise<Sides> {
  const without: number[] = []
  const computed: number[] = []
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await orders.removeColumn('total')
    without.push(await plain.addColumn(`plain${round}`))
    computed.push(await orders.addColumn('total', formulas.total))
  }
  return { plain: median(without), computed: median(computed) }
}

/** The same edits on a document without and on one with formulas, in turn. */
async function measureBeside(
  plain: Orders,
  orders: Orders,
  requestsOf: (of: Orders) => WireRequest[],
  rounds: number,
): Promise<Sides> {
  const sides = [plain, orders].map((of) => ({ of, requests: requestsOf(of), medians: [0] }))
  for (const { of, requests } of sides) await of.send(requests, { calls: WARM_UP_CALLS })
  for (const side of sides) side.medians = []
  for (let round = 0; round < rounds; round++)
    for (const { of, requests, medians } of sides)
      medians.push(median(await of.send(requests, { ms: ROUND_MS })))
  const [without = NaN, computed = NaN] = sides.map(({ medians }) => median(medians))
  return { plain: without, computed }
}

/** The first edit after other documents have taken all evaluators, of a quantity and of a key. */
async function measureFirst(
  parts: Parts,
  orders: Orders,
  rounds: number,
): Promise<{ quantity: number; key: number }> {
  const others = await createComputed(parts, EVALUATORS)
  let turn = 0
  const first = async (requests: readonly WireRequest[]) => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      // Every second edit begins with another row, so none is without effect.
      turn += 2
      for (const other of others) await other.send(other.quantityEdits().slice(turn), { calls: 1 })
      times.push(...(await orders.send(requests.slice(turn), { calls: 1 })))
    }
    return median(times)
  }
  return { quantity: await first(orders.quantityEdits()), key: await first(orders.keyEdits()) }
}

/** One edit of one document after the other: each needs an evaluator that another document has. */
async function measureInTurn(parts: Parts, rounds: number): Promise<Figure[]> {
  const documents = await createComputed(parts, DOCUMENTS)
  const times: number[] = []
  for (let round = 0; round < rounds; round++)
    for (const orders of documents)
      times.push(...(await orders.send(orders.quantityEdits().slice(round + 1), { calls: 1 })))
  return [
    {
      name: `edit a quantity, ${DOCUMENTS} documents in turn, ${EVALUATORS} evaluators`,
      unit: 'ms',
      sheaf: median(times),
      goal: atMost(700, 400),
    },
  ]
}

async function createComputed(parts: Parts, count: number): Promise<Orders[]> {
  const documents: Orders[] = []
  for (let index = 0; index < count; index++) {
    const orders = await Orders.create(parts, DOCUMENT_ROWS)
    await orders.addColumn('total', formulas.total)
    documents.push(orders)
  }
  return documents
}
