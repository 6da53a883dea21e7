import { parseArgs } from 'node:util'

/** The things that can be measured. */
export const modes = [
  'compare',
  'latency',
  'rows',
  'documents',
  'webhooks',
  'grid',
  'formulas',
  'telemetry',
  'optimizations',
  'replicated',
  'instances',
  'moments',
] as const

/** One of the modes. */
export type Mode = (typeof modes)[number]

/** Options of the benchmark. */
export interface Options {
  readonly mode: Mode
  /** How often each workload is measured on each side. */
  readonly rounds: number
  /** Rows of the large table. */
  readonly rows: number
  /** True to measure tables of a million rows with formulas as well. */
  readonly whole: boolean
  /** Documents on disk. */
  readonly documents: number
  /** Webhooks, ten on each document. */
  readonly webhooks: number
  /** Only workloads whose name contains this. */
  readonly only: string
  /** True to write the figures to the README of the benchmark. */
  readonly markdown: boolean
  /** Folder for CPU profiles of all processes of Sheaf. */
  readonly profile?: string
}

/** Parses the arguments. Throws an error that describes what is invalid. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      mode: { type: 'string', default: 'compare' },
      rounds: { type: 'string', default: '3' },
      rows: { type: 'string', default: '1000000' },
      whole: { type: 'boolean', default: false },
      documents: { type: 'string', default: '10000' },
      webhooks: { type: 'string', default: '1000' },
      only: { type: 'string', default: '' },
      markdown: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  })
  const mode = modes.find((name) => name === values.mode)
  if (!mode) throw new Error(`--mode must be one of ${modes.join(', ')}`)
  return {
    mode,
    rounds: readCount('rounds', values.rounds),
    rows: readCount('rows', values.rows),
    whole: values.whole,
    documents: readCount('documents', values.documents),
    webhooks: readCount('webhooks', values.webhooks),
    only: values.only,
    markdown: values.markdown,
    profile: values.profile,
  }
}

function readCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a whole number above 0`)
  return Number(text)
}
