import { cpus, totalmem } from 'node:os'
import { median, type Workload } from './workloads'

/** What one workload gave on both targets, a figure a round. */
export interface Result {
  readonly workload: Workload
  readonly sheaf: readonly number[]
  readonly plain: readonly number[]
}

/** A result as it is written to the JSON file. */
export interface Summary {
  readonly name: string
  readonly unit: string
  readonly sheaf: number
  readonly plain: number
  /** Sheaf to plain: below 1 is faster for ms, above 1 is faster for rates. */
  readonly ratio: number
  /** The ratio that DESIGN §9 asks for. */
  readonly wanted: number
  readonly reached: boolean
}

/** Medians over the rounds, and how they compare. */
export function summarise({ workload, sheaf, plain }: Result): Summary {
  const { name, unit, wanted } = workload
  const ratio = median(sheaf) / median(plain)
  const reached = unit === 'ms' ? ratio <= wanted : ratio >= wanted
  return { name, unit, sheaf: median(sheaf), plain: median(plain), ratio, wanted, reached }
}

const figure = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(2))

/** A table for people. */
export function renderTable(summaries: readonly Summary[]): string {
  const rows = summaries.map(({ name, unit, sheaf, plain, ratio, wanted, reached }) => [
    name,
    `${figure(sheaf)} ${unit}`,
    `${figure(plain)} ${unit}`,
    ratio.toFixed(2),
    `${unit === 'ms' ? '≤' : '≥'} ${wanted}`,
    reached ? 'yes' : 'not yet',
  ])
  const all = [['work', 'Sheaf', 'plain server', 'ratio', 'wanted', 'reached'], ...rows]
  const widths =
    all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n')
}

/** The machine that the figures are of. */
export function machine(): { cpu: string; cores: number; memoryGiB: number; node: string } {
  const cores = cpus()
  return {
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
}
