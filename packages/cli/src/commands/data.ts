import type { Command } from 'commander'
import type { CliSettings } from '../settings'
import type { Terminal } from '../terminal'
import { addBackupCommands } from './backup'
import { addTypesCommand } from './document-types'
import { addImportCommand } from './import'
import { addLoadCommand } from './load'
import { addMcpCommand } from './mcp'

/** Adds the commands for data: `backup`, `restore`, `load`, `import`, `types` and `mcp`. */
export function addDataCommands(program: Command, settings: CliSettings, terminal: Terminal): void {
  addBackupCommands(program, settings, terminal)
  addLoadCommand(program, settings, terminal)
  addImportCommand(program, settings, terminal)
  addTypesCommand(program, settings, terminal)
  addMcpCommand(program, settings, terminal)
}
