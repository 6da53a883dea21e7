import type { Command } from 'commander'
import type { CliSettings } from '../settings'
import type { Terminal } from '../terminal'
import { addDoctorCommand } from './doctor'
import { addDocumentsCommands } from './documents'
import { addInstancesCommands } from './instances'
import { addStatusCommand } from './status'

/** Adds the commands about the running system: `status`, `doctor`, `instances` and `documents`. */
export function addSystemCommands(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  addStatusCommand(program, settings, terminal)
  addDoctorCommand(program, settings, terminal)
  addInstancesCommands(program, settings, terminal)
  addDocumentsCommands(program, settings, terminal)
}
