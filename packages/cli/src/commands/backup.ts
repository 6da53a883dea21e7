import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openBackupServices } from '../backup/backup-services'
import { makeBackup } from '../backup/make-backup'
import { restoreBackup } from '../backup/restore-backup'
import { startBar } from '../progress-bar'
import type { CliSettings } from '../settings'
import type { Terminal } from '../terminal'

/** Adds `backup` and `restore`, which require a running Sheaf. */
export function addBackupCommands(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  program
    .command('backup')
    .description('write all documents and all that PostgreSQL holds to a folder, while Sheaf runs')
    .argument('<folder>', 'a new or empty folder; it will hold secrets, for its user alone to read')
    .option('--json', 'print the counts of the manifest and nothing else')
    .action(async (folder: string, options: { json?: boolean }) => {
      await using services = await openBackupServices(settings)
      const bar = startBar(terminal, 'documents copied')
      const target = resolve(settings.workDir, folder)
      const { counts } = await makeBackup(services, target, bar.update).finally(bar.stop)
      if (options.json) return terminal.out(JSON.stringify(counts))
      terminal.out(`${describe(counts.documents, counts.bytes)} are in ${target}`)
      if (counts.skipped > 0)
        terminal.out(`${counts.skipped} documents were deleted meanwhile, and are not in it`)
    })

  program
    .command('restore')
    .description('bring a backup back, into a running Sheaf in which there is nothing yet')
    .argument('<folder>', 'the folder of the backup')
    .action(async (folder: string) => {
      await using services = await openBackupServices(settings)
      const checking = startBar(terminal, 'files checked')
      const restoring = startBar(terminal, 'documents restored')
      const { counts } = await restoreBackup(services, resolve(settings.workDir, folder), {
        onChecked: checking.update,
        onRestored: (done, total) => {
          checking.stop()
          restoring.update(done, total)
        },
      }).finally(() => {
        checking.stop()
        restoring.stop()
      })
      terminal.out(`${describe(counts.documents, counts.bytes)} were restored`)
      terminal.out('Keys are those of the backup; what the first start printed works no more.')
    })
}

const describe = (documents: number, bytes: number) =>
  `${documents.toLocaleString('en-US')} documents (${(bytes / 1024 / 1024).toFixed(1)} MiB in all)`
