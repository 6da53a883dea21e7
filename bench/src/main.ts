import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describeMachine, findCommit, inspectMachine } from './machine'
import { measures } from './measures'
import { readOptions, type Options } from './options'
import { isReached, ratioOf, renderReport, replaceSection } from './report'

const folder = join(__dirname, '..')

/** Settings that make every process of Sheaf write a CPU profile when it ends. */
function profiling({ profile }: Options): Record<string, string> {
  if (profile === undefined) return {}
  const preload = join(__dirname, 'profile-preload.js')
  return { NODE_OPTIONS: `--require ${preload}`, NODE_PROFILE_FOLDER: resolve(profile) }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const machine = await inspectMachine()
  const commit = findCommit(folder)
  const report = await measures[options.mode](options, profiling(options))
  const date = new Date().toISOString().slice(0, 10)
  const about = `${date}${commit && `, commit ${commit}`}: ${describeMachine(machine)}. ${report.about}`
  const figures = report.figures.map((figure) => ({
    ...figure,
    ratio: ratioOf(figure),
    reached: isReached(figure),
  }))
  const file = `results-${options.mode}.json`
  const written = { date, commit, machine, ...report, figures }
  writeFileSync(join(folder, file), `${JSON.stringify(written, null, 2)}\n`)
  process.stdout.write(
    `${renderReport({ ...report, about }, 'text')}\n\nwritten to bench/${file}\n`,
  )
  if (!options.markdown) return
  const readme = join(folder, 'README.md')
  const text = renderReport({ ...report, about }, 'markdown')
  writeFileSync(readme, replaceSection(readFileSync(readme, 'utf8'), options.mode, text))
  process.stdout.write('written to bench/README.md\n')
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
