// Writes to a document, three rows at a time, until a stage of a write waits without end. Arguments: folder of all
// documents, document, stage, the number of its group that waits. Prints each acknowledged write, and `held`.
import storeModule from '../../dist/store/documents/document-store.js'
import recordsModule from '../../dist/store/records/records.js'

const [folder, docId, stage, round] = process.argv.slice(2)
let left = Number(round)
const hold = () => {
  if (left-- > 0) return undefined
  process.stdout.write('held\n')
  return new Promise(() => {})
}
const store = await storeModule.DocumentStore.open({
  folder,
  maxOpen: 10,
  idleMs: 60_000,
  maxReadMs: 60_000,
  workers: 0,
  maxIndexes: 0,
  onFileError: (error) => process.stderr.write(`${error.stack}\n`),
  stages: stage === 'none' ? undefined : { [stage]: hold },
})
const author = { userId: 1, cause: 'api', traceparent: '' }
const writer = async (id) => {
  for (let n = 0; ; n++) {
    const name = `${process.pid}/${id}/${n}`
    const { seq } = await store.transact(docId, author, (doc) => {
      recordsModule.addRecords(
        doc,
        'Table1',
        { count: 3, cells: new Map([['A', [name, name, name]]]) },
        { noParse: true },
      )
    })
    process.stdout.write(`${seq} ${name}\n`)
  }
}
await Promise.all([0, 1, 2, 3].map(writer))
