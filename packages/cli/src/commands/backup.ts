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
    .description('back up all documents and the PostgreSQL data to a folder, while Sheaf runs')
    .argument(
      '<folder>',
      'a new or empty folder; the backup contains secrets and is readable by its owner only',
    )
    .option('--json', 'print only the counts of the manifest, as JSON')
    .action(async (folder: string, options: { json?: boolean }) => {
      await using services = await openBackupServices(settings)
      const bar = startBar(terminal, 'documents copied')
      const target = resolve(settings.workDir, folder)
      const { counts } = await makeBackup(services, target, bar.update).finally(bar.stop)
      if (options.json) return terminal.out(JSON.stringify(counts))
      terminal.out(`backed up ${describe(counts.documents, counts.bytes)} to ${target}`)
      if (counts.skipped > 0)
        terminal.out(
          `${counts.skipped} documents were deleted during the backup and are not included`,
        )
    })

  program
    .command('restore')
    .description('restore a backup into a running, empty Sheaf')
    .argument('<folder>', 'the backup folder')
    .action(async (folder: string) => {
      await using services = await openBackupServices(settings)
      const checking = startBar(terminal, 'files checked')
      const restoring = startBar(terminal, 'documents restored')
      const { counts, version } = await restoreBackup(services, resolve(settings.workDir, folder), {
        onChecked: checking.update,
        onRestored: (done, total) => {
          checking.stop()
          restoring.update(done, total)
        },
      }).finally(() => {
        checking.stop()
        restoring.stop()
      })
      terminal.out(
        `restored ${describe(counts.documents, counts.bytes)} from a backup made by ${version === undefined ? 'an older release' : `version ${version}`}`,
      )
      terminal.out(
        'API keys are those of the backup. The key printed at the first start is no longer valid.',
      )
    })
}

const describe = (documents: number, bytes: number) =>
  `${documents.toLocaleString('en-US')} documents (${(bytes / 1024 / 1024).toFixed(1)} MiB)`
