import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { defaultFormulaLimits } from './config'
import { Evaluators } from './evaluator/evaluators'
import { EvaluatorPool } from './formulas/evaluator-pool'
import { recomputeDocument, type Recomputation } from './formulas/recompute-document'
import { checkFolder } from './store/integrity/check-folder'

// Program: check.js <data folder> [--full] [--replay] [--formulas]. Checks every document file and prints one line of JSON (a
// CheckStep) for each. It runs in a separate process because a check takes long, because it must work whether
// or not the service is running, and because closing a file releases all locks that a process holds on it.

const [dataFolder = './data', ...flags] = process.argv.slice(2)
const options = {
  full: flags.includes('--full'),
  replay: flags.includes('--replay'),
  ...(flags.includes('--formulas') && { recompute: createRecompute() }),
}

/** Computes the formulas of one document after the other, each with an evaluator of its own. */
function createRecompute(): (file: string, docId: string) => Promise<Recomputation> {
  const { memoryBytes } = defaultFormulaLimits
  const cacheFolder = process.env.SHEAF_CACHE ?? defaultFormulaLimits.cacheFolder
  // The standard output belongs to the steps.
  const say = (...what: unknown[]) => console.error(...what)
  const processes = new Evaluators({ cacheFolder, memoryBytes, log: { warn: say, error: say } })
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
