// Writes to a document, three rows at a time, until a group is held at one of its stages. Arguments: folder of all
// documents, document, stage, the number of its group that is held. Prints each acknowledged write, and `held`.
import connectionModule from '../../dist/store/sqlite/connections.js'
import storeModule from '../../dist/store/documents/document-store.js'
import recordsModule from '../../dist/store/records/records.js'

const [folder, docId, stage, round] = process.argv.slice(2)
let left = Number(round)
const isHeld = () => left-- <= 0
/** The process does nothing more; it is killed from outside. */
const stop = () => {
  process.stdout.write('held\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
/** A stage that may wait, and then waits without end. */
const hold = () => {
  if (!isHeld()) return undefined
  process.stdout.write('held\n')
  return new Promise(() => {})
}
const waiting = { deriving: 'derive', appending: 'append' }[stage]

// The commit of a group, and what follows it: synchronous stages without hooks.
const { prepare } = connectionModule.Connection.prototype
connectionModule.Connection.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  if (sql !== 'COMMIT' || (stage !== 'committing' && stage !== 'answering')) return statement
  return {
    run: () => {
      const held = isHeld()
      if (held && stage === 'committing') stop()
      statement.run()
      if (held) stop()
    },
  }
}

const store = await storeModule.DocumentStore.open({
  folder,
  maxOpen: 10,
  idleMs: 60_000,
  maxReadMs: 60_000,
  workers: 0,
  maxIndexes: 0,
  onFileError: (error) => process.stderr.write(`${error.stack}\n`),
  stages: waiting && { [waiting]: hold },
})
const author = { userId: 1, cause: 'api', traceparent: '' }
const writer = async (id) => {
  for (let n = 0; ; n++) {
    const name = `${process.pid}/${id}/${n}`
    const written = store.transact(docId, author, (doc) => {
      const cells = new Map([['A', [name, name, name]]])
      recordsModule.addRecords(doc, 'Table1', { count: 3, cells }, { noParse: true })
      if (stage === 'applying' && id === 2 && isHeld()) stop()
    })
    if (stage === 'collecting' && id === 3 && isHeld()) {
      // The other writers print what was answered before; the group begins only in a later turn.
      for (let i = 0; i < 50; i++) await null
      stop()
    }
    const { seq } = await written
    process.stdout.write(`${seq} ${name}\n`)
  }
}
await Promise.all([0, 1, 2, 3].map(writer))
