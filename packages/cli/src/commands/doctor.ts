import type { Command } from 'commander'
import { CliError } from '../cli-error'
import { examine, type DoctorReport } from '../doctor/examine'
import { startBar } from '../progress-bar'
import type { CliSettings } from '../settings'
import type { Terminal } from '../terminal'

interface DoctorOptions {
  readonly full?: boolean
  readonly replay?: boolean
  readonly formulas?: boolean
  readonly home: string
  readonly json?: boolean
}

/** Adds `doctor`, which exits with 1 when it finds an error. */
export function addDoctorCommand(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  program
    .command('doctor')
    .description(
      'check all document files, and the system if it runs; exits with 1 if there are problems',
    )
    .option('--full', 'also verify indexes against their tables (slower)')
    .option('--replay', 'also make each document again from its log, and compare (slow)')
    .option('--formulas', 'also compute all formulas again, and compare (slow)')
    .option(
      '--home <name>',
      'name of the document-data instance of the data folder',
      'document-data-0',
    )
    .option('--json', 'print {"running","documents","findings":[{"level","docId","message"}]}')
    .action(async (options: DoctorOptions) => {
      const bar = startBar(terminal, 'documents')
      const diagnosis = await examine(settings, {
        home: options.home,
        full: options.full === true,
        replay: options.replay === true,
        formulas: options.formulas === true,
        onProgress: bar.update,
      }).finally(bar.stop)
      terminal.out(options.json ? JSON.stringify(diagnosis) : describe(diagnosis))
      const errors = diagnosis.findings.filter(({ level }) => level === 'error').length
      if (errors === 0) return
      const verdict = errors === 1 ? '1 problem found' : `${errors} problems found`
      throw new CliError(options.json ? '' : verdict)
    })
}

function describe({ documents, findings }: DoctorReport): string {
  const lines = findings.map(
    ({ level, message }) => `${level === 'error' ? 'WRONG' : 'note '}  ${message}`,
  )
  return [...lines, `${documents.toLocaleString('en-US')} documents checked`].join('\n')
}
