import { findDeno, NO_DENO } from './deno'
import { runtimeFiles } from './runtime-files'

/*
 * Entry point: make-runtime.js <cache folder>. Makes the files of the evaluator ahead of its first use, and prints their folder.
 */

async function main(): Promise<void> {
  const [, , cacheFolder] = process.argv
  if (cacheFolder === undefined) throw new Error('usage: make-runtime.js <cache folder>')
  if (!findDeno()) return console.error(NO_DENO)
  const { folder } = await runtimeFiles({ cacheFolder })
  console.log(folder)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
