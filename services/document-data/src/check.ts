import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { checkFolder } from './store/integrity/check-folder'

// A program: check.js <data folder> [--full]. Checks every document file and prints a line of JSON (a CheckStep) for
// each. A process of its own because a check takes long, because it works while the service runs and while it does not,
// and because closing a file drops all locks that a process has on it.

const [dataFolder = './data', ...flags] = process.argv.slice(2)
for (const step of checkFolder(join(dataFolder, 'documents'), { full: flags.includes('--full') }))
  writeSync(1, `${JSON.stringify(step)}\n`)
