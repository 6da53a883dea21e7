import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Home } from '@sheaf/protos/sheaf/directory/v1/homes'
import { openInstances, type Instances } from '../instances/instances'
import type { CliSettings } from '../settings'
import { readOperatorTarget } from '../target'
import { formatTable, type Terminal } from '../terminal'

/** Milliseconds between two looks at an instance that is drained. */
const LOOK_MS = 500

/** Adds `instances list` and `instances drain`. */
export function addInstancesCommands(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  const instances = program.command('instances').description('manage instances of document-data')

  instances
    .command('list')
    .description('list all instances and how many documents each has')
    .option('--json', 'print them as a JSON array')
    .action(async (options: { json?: boolean }) => {
      await using opened = openInstances(await readOperatorTarget(settings))
      const all = await opened.list()
      terminal.out(options.json ? JSON.stringify(all) : formatInstances(all))
    })

  instances
    .command('drain')
    .description('move all documents of a replicated instance to others, and give it no new ones')
    .argument('<name>', 'name of the instance')
    .option('--cancel', 'give it documents again; those that were moved stay where they are')
    .action(async (name: string, options: { cancel?: boolean }) => {
      await using opened = openInstances(await readOperatorTarget(settings))
      await opened.drain(name, !options.cancel)
      if (options.cancel) return terminal.out(`${name} may have documents again`)
      await untilDrained(opened, name, terminal)
      terminal.out(`${name} has no documents and may be stopped`)
    })
}

async function untilDrained(instances: Instances, name: string, terminal: Terminal): Promise<void> {
  for (let before = -1; ; await delay(LOOK_MS)) {
    const { documents, pinned } = await instances.find(name)
    if (documents === 0) return
    const noun = documents === 1 ? 'document' : 'documents'
    const adopted = pinned > 0 ? `, ${pinned.toLocaleString('en-US')} of them to be adopted` : ''
    if (documents !== before)
      terminal.err(`${documents.toLocaleString('en-US')} ${noun} left${adopted}`)
    before = documents
  }
}

/** The formats of documents that an instance can use; instances of older releases tell none. */
function formatRange({ formatMin, formatMax }: Home): string {
  if (formatMax === 0) return '-'
  return formatMin === formatMax ? String(formatMax) : `${formatMin}–${formatMax}`
}

function formatInstances(homes: readonly Home[]): string {
  const rows = homes.map((home) => [
    home.name,
    home.address,
    home.live ? (home.drained ? 'drained' : 'live') : 'not live',
    home.replicated ? 'yes' : 'no',
    String(home.documents),
    String(home.pinned),
    String(home.local),
    formatRange(home),
    `${(home.freeBytes / 2 ** 30).toFixed(1)} GiB`,
  ])
  return formatTable(
    ['NAME', 'ADDRESS', 'STATE', 'REPLICATED', 'DOCUMENTS', 'PINNED', 'LOCAL', 'FORMATS', 'FREE'],
    rows,
  )
}
