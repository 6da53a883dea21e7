import { makeRuntime } from './make-runtime'
import { defaultCache, findParts, NoRuntime } from './runtime-files'

// Program: make-snapshot.js [cache folder]. Makes the runtime of formulas in advance, so that the first formula need not wait
// for it.

async function run(): Promise<void> {
  try {
    await makeRuntime(process.argv[2] ?? defaultCache(), findParts())
  } catch (error) {
    if (!(error instanceof NoRuntime)) throw error
    console.error(error.message)
  }
}

void run()
