import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Step } from './kit'

const file = join(__dirname, 'known-failures.json')

/** The steps of each area that are known to fail, by `<scenario> #<step>`, with the cause in one word. */
export type KnownFailures = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The cause of a step of which nobody has said why it fails; a test refuses it. */
export const UNEXPLAINED = 'unexplained'

/**
 * Why steps fail, by cause: Sheaf answers otherwise on purpose. What users of formulas can see of it is in docs/formulas.md,
 * "Differences from Grist".
 */
export const deviations: Readonly<Record<string, string>> = {
  address:
    'SELF_HYPERLINK is a ValueError: document-data, where formulas run, does not know the address at which the gateway serves a document.',
  healed:
    'A new table with the name of a removed one heals the formulas that use it, at once; the recorded server keeps their errors until they are changed.',
  implemented:
    'The recorded server documents functions without implementing them: they raise NotImplementedError there, and have results here.',
  misencoding:
    'The recorded server garbles letters outside of ASCII in the file name of Content-Disposition. Sheaf sends the name as it was uploaded.',
  named:
    'A cell with ["E", "ValueError"] that a client stores reads as that error; the recorded server gives it the name NoneType.',
  order:
    'Columns are listed by their position, `parentPos`; the recorded server lists those in another order that used a table which was removed.',
  readable:
    'In SQL an error, list or date of a column of type Any is JSON text; the recorded server answers the bytes of a Python object.',
  remove:
    'Webhooks of Sheaf have the event type "remove", with which the recorded server refuses a webhook; what a later step lists differs by that.',
  stale:
    'The recorded server does not compute some cells again when the order of rows changes that they depend on: PREVIOUS and RANK over cells with errors, and lookupOne with order_by. Here they are what their formula gives.',
  typed:
    'In an XLSX file, dates of columns of type Any are dates; the recorded server writes them as text.',
  whole:
    'A column of type Any stores 5.0 and 5 as the same number, so that str() of it is "5"; the recorded server remembers that it was computed as a float.',
}

/** Reads the list. */
export function readKnownFailures(): KnownFailures {
  return JSON.parse(readFileSync(file, 'utf8')) as KnownFailures
}

/** Writes the list anew from a run; causes that stand there stay. */
export function writeKnownFailures(steps: readonly Step[], known: KnownFailures): KnownFailures {
  const areas = [...new Set(steps.map(({ area }) => area))].sort()
  const causes = findCauses(steps, known)
  const written = Object.fromEntries(
    areas.map((area) => [
      area,
      Object.fromEntries(
        steps
          .filter((step) => step.area === area && !step.pass)
          .sort((a, b) => compare(a.scenario, b.scenario) || a.step - b.step)
          .map((step) => [nameOf(step), causes.get(nameOf(step)) ?? UNEXPLAINED]),
      ),
    ]),
  )
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`)
  return written
}

/** How a step is called in the list. */
export function nameOf({ scenario, step }: Step): string {
  return `${scenario} #${step}`
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** What a step needs, by its method and path; the first that fits. */
const needs: readonly (readonly [RegExp, string])[] = [
  [/^RECEIVE|\/webhooks\b/, 'webhooks'],
  [/\/attachments\b|\/attach$/, 'attachments'],
  [/\/sql$/, 'sql'],
  [/\/download\b/, 'downloads'],
]

/** The same, for routes that are not there yet. */
const routes: readonly (readonly [RegExp, string])[] = [
  [/\/access$/, 'access'],
  [/\/apikey$/, 'apikey'],
  [/\/profile\b/, 'profile'],
  [/^PUT .*\/records$/, 'upsert'],
  [/\/data$/, 'columnar'],
  [/\/(copy|move|pin|unpin|remove|unremove|apply)$/, '$1'],
  [/\/(columns|records|tables|users|workspaces|docs|orgs)(\/[^/]+)?$/, '$1'],
]

/** A step without a cause in the list has that of its route, or that of the step of its scenario that failed before. */
function findCauses(steps: readonly Step[], known: KnownFailures): Map<string, string> {
  const causes = new Map<string, string>()
  const before = new Map<string, string>()
  for (const step of steps.filter(({ pass }) => !pass)) {
    const listed = known[step.area]?.[nameOf(step)]
    const cause = listed === UNEXPLAINED ? undefined : listed
    const found = cause ?? findNeed(step) ?? before.get(step.scenario) ?? UNEXPLAINED
    causes.set(nameOf(step), found)
    before.set(step.scenario, found)
  }
  return causes
}

function findNeed({ area, method, path, reason }: Step): string | undefined {
  if (area.split('-')[0] === 'formulas') return 'formula'
  const isMissing = /got 404 \(not found: \//.test(reason ?? '')
  const call = `${method} ${path}`
  for (const [pattern, word] of isMissing ? [...needs, ...routes] : needs) {
    const found = pattern.exec(call)
    if (found) return word.replace('$1', found[1] ?? '')
  }
  return undefined
}
