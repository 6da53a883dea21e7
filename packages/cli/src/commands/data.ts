import type { Command } from 'commander'
import type { CliSettings } from '../settings'
import type { Terminal } from '../terminal'
import { addBackupCommands } from './backup'
import { addTypesCommand } from './document-types'
import { addImportCommand } from './import'
import { addLoadCommand } from './load'

/** Adds the commands for importing and exporting data: `backup`, `restore`, `load`, `import` and `types`. */
export function addDataCommands(program: Command, settings: CliSettings, terminal: Terminal): void {
  addBackupCommands(program, settings, terminal)
  addLoadCommand(program, settings, terminal)
  addImportCommand(program, settings, terminal)
  addTypesCommand(program, settings, terminal)
}
