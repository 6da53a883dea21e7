import { AppError } from '@sheaf/kit/errors'
import { pathText } from '@sheaf/kit/json-search'
import { payloadError } from '@sheaf/kit/payload-error'
import { shorten } from '@sheaf/kit/truncate-text'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** Listing more issues would not help. */
const MOST_ISSUES = 10

const nouns: Readonly<Record<string, string>> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  int: 'an integer',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
}

/**
 * Converts a schema violation of a body to an error whose message has the first reason, and which names every
 * invalid field.
 * @param hint what explains the first reason
 */
export function toPayloadError({ issues }: z.ZodError, body: unknown, hint?: string): AppError {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys')
  if (unknown) return unknownProperty([...unknown.path, unknown.keys[0] ?? ''])
  const sentences = issues.slice(0, MOST_ISSUES).map((issue) => describe(issue, body))
  const [first = 'body is not valid'] = sentences
  if (hint === undefined) return payloadError(first, [...new Set(sentences)])
  return payloadError(`${first}; ${hint}`, [...new Set([...sentences, hint])])
}

/** The error for a property of a body that nothing reads. Clients of the Grist API expect the plain name of one of the top. */
function unknownProperty(path: readonly PropertyKey[]): AppError {
  const [name = ''] = path
  const field = pathText(path)
  const shown = path.length === 1 ? shorten(String(name)) : field
  return new AppError('invalid', 'UNKNOWN_PROPERTY', `unrecognized property ${shown}`, { field })
}

/** Converts a schema violation of a path or query parameter to an error. */
export function toParameterError({ issues }: z.ZodError, values: unknown): AppError {
  const [issue] = issues
  const name = String(issue?.path[0])
  const value = valueAt(values, issue?.path ?? [])
  const shown = shorten(String(value))
  const isRepeated = issue?.code === 'invalid_type' || issue?.code === 'invalid_union'
  const fault = isRepeated ? 'should be a string' : (issue?.message ?? 'is not valid')
  const message = value === undefined ? 'is required' : `${fault}: ${shown}`
  return new AppError('invalid', 'INVALID_PARAMETER', `${name} parameter ${message}`, {
    parameter: name,
  })
}

function describe(issue: Issue, body: unknown): string {
  const where = pathText(issue.path)
  if (valueAt(body, issue.path) === undefined) return `${where} is missing`
  switch (issue.code) {
    case 'invalid_type':
      return `${where} is not ${nouns[issue.expected] ?? issue.expected}`
    case 'too_small':
      return typeof issue.minimum === 'number' && issue.origin === 'number'
        ? `${where} is less than ${issue.minimum}`
        : `${where} is empty`
    case 'too_big':
      return issue.origin === 'string'
        ? `${where} is longer than ${issue.maximum} characters`
        : `${where} is greater than ${issue.maximum}`
    case 'invalid_value':
      return `${where} is none of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'custom':
      return `${where} ${issue.message}`
    default:
      return `${where} is not valid`
  }
}

function valueAt(value: unknown, path: Issue['path']): unknown {
  let current = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined
    current = (current as Record<PropertyKey, unknown>)[step]
  }
  return current
}
