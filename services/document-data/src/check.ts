import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { checkFolder } from './store/integrity/check-folder'

// Program: check.js <data folder> [--full] [--replay]. Checks every document file and prints one line of JSON (a
// CheckStep) for each. It runs in a separate process because a check takes long, because it must work whether
// or not the service is running, and because closing a file releases all locks that a process holds on it.

const [dataFolder = './data', ...flags] = process.argv.slice(2)
const options = { full: flags.includes('--full'), replay: flags.includes('--replay') }

async function run(): Promise<void> {
  for await (const step of checkFolder(join(dataFolder, 'documents'), options))
    writeSync(1, `${JSON.stringify(step)}\n`)
}

void run()
