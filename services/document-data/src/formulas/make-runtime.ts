import { runtimeFiles } from './runtime-files'
import { findDeno, NO_DENO } from './deno'

/*
 * Entry point: make-runtime.js [cache folder]. Makes the files of the evaluator ahead of its first use.
 */

async function main(): Promise<void> {
  const cacheFolder = process.argv[2] ?? process.env.SHEAF_CACHE ?? '.cache'
  if (findDeno()) await runtimeFiles({ cacheFolder })
  else console.error(NO_DENO)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
