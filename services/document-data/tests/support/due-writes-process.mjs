// Makes a document with a trigger formula, adds rows where no evaluator can be started, says so, and waits to be killed.
import { randomUUID } from 'node:crypto'
import formulasModule from '../../dist/formulas/formulas.js'
import storeModule from '../../dist/store/documents/document-store.js'
import recordsModule from '../../dist/store/records/records.js'
import tablesModule from '../../dist/store/structure/tables.js'

const [folder] = process.argv.slice(2)
const author = {
  userId: 7,
  cause: 'api',
  traceparent: '',
  person: { name: 'Ada', email: 'ada@example.com', access: 'editors', isAnonymous: false },
}
const stages = new formulasModule.Formulas({ computeMs: 5_000, writeCells: 10_000, evaluators: 1 })
const options = {
  folder,
  maxOpen: 10,
  idleMs: 60_000,
  maxReadMs: 60_000,
  workers: 0,
  maxIndexes: 0,
}
const store = await storeModule.DocumentStore.open({ ...options, stages })
const docId = randomUUID()
await store.lifeCycle.create(docId, { timezone: 'UTC', locale: 'en-US' }, author)
const formula = '"%s by %s: %s" % ($A, user.Name, value)'
const columns = [
  { id: 'A', fields: { type: 'Int' } },
  { id: 'Stamp', fields: { type: 'Text', isFormula: false, formula } },
]
await store.transact(docId, author, (doc) => tablesModule.addTables(doc, [{ id: 'T', columns }]))
await store.transact(docId, author, (doc) => {
  recordsModule.addRecords(
    doc,
    'T',
    { count: 3, cells: new Map([['A', [1, 2, 3]]]) },
    { noParse: true },
  )
})
console.log(docId)
setInterval(() => {}, 60_000)
