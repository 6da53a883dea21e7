import { findDeno, NO_DENO } from './deno'
import { runtimeFiles } from './runtime-files'

/*
 * Entry point: make-runtime.js <cache folder>. Makes the files of the evaluator ahead of its first use.
 */

async function main(): Promise<void> {
  const [, , cacheFolder] = process.argv
  if (cacheFolder === undefined) throw new Error('usage: make-runtime.js <cache folder>')
  if (findDeno()) await runtimeFiles({ cacheFolder })
  else console.error(NO_DENO)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
