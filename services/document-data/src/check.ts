import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { Evaluators } from './evaluator/evaluators'
import { EvaluatorPool } from './formulas/exchange/evaluator-pool'
import { recomputeDocument, type Recomputation } from './formulas/recompute-document'
import { checkFolder } from './store/integrity/check-folder'

// Program: check.js <data folder> [--full] [--replay] [--formulas=<cache folder>]. Checks every document file and prints one line of JSON (a
// CheckStep) for each. It runs in a separate process because a check takes long, because it must work whether
// or not the service is running, and because closing a file releases all locks that a process holds on it.

/** Memory of an evaluator. */
const MEMORY_BYTES = 1024 * 1024 * 1024
const FORMULAS = '--formulas='

const [dataFolder = './data', ...flags] = process.argv.slice(2)
const cacheFolder = flags.find((flag) => flag.startsWith(FORMULAS))?.slice(FORMULAS.length)
const options = {
  full: flags.includes('--full'),
  replay: flags.includes('--replay'),
  ...(cacheFolder !== undefined && { recompute: createRecompute(cacheFolder) }),
}

/** Computes the formulas of one document after the other, each with an evaluator of its own. */
function createRecompute(
  cacheFolder: string,
): (file: string, docId: string) => Promise<Recomputation> {
  // The standard output belongs to the steps.
  const say = (...what: unknown[]) => console.error(...what)
  const processes = new Evaluators({
    cacheFolder,
    memoryBytes: MEMORY_BYTES,
    log: { warn: say, error: say },
  })
  return async (file, docId) => {
    using pool = new EvaluatorPool(1, (handlers) => processes.start(handlers))
    return await recomputeDocument(file, docId, pool)
  }
}

async function run(): Promise<void> {
  for await (const step of checkFolder(join(dataFolder, 'documents'), options))
    writeSync(1, `${JSON.stringify(step)}\n`)
}

void run()
