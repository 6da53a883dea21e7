import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { AppError } from '@sheaf/kit/errors'
import { findInJson, isInfinite, pathText } from '@sheaf/kit/json-search'
import { findNearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import { z } from 'zod'
import type { Tool } from './tool'

/**
 * Validates the arguments of a call. Throws AppError `invalid` that names the argument: UNKNOWN_PROPERTY for one that the
 * tool does not have, INVALID_PARAMETER for a wrong value.
 */
export function readArguments({ schema }: Pick<Tool, 'schema'>, given: unknown): unknown {
  const result = schema.safeParse(given ?? {})
  if (result.success) return requireFinite(result.data)
  throw toArgumentError(result.error, Object.keys(schema.shape))
}

function requireFinite(given: Record<string, unknown>): Record<string, unknown> {
  const path = findInJson(given, isInfinite)
  if (!path) return given
  const [name = ''] = path.map(String)
  const message = `${pathText(path.slice(1), shorten(name))}: a number is out of range`
  throw new AppError('invalid', 'INVALID_PARAMETER', message, { parameter: shorten(name) })
}

function toArgumentError({ issues }: z.ZodError, known: readonly string[]): AppError {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  if (issue?.code === 'unrecognized_keys') {
    const name = [...issue.path, issue.keys[0] ?? ''].map(String).join('.')
    const { hint, details } = findNearMiss(name, known)
    const message = `unknown argument "${shorten(name)}"${hint}; arguments: ${known.join(', ')}`
    return new AppError('invalid', 'UNKNOWN_PROPERTY', message, {
      parameter: shorten(name),
      ...details,
    })
  }
  const name = (issue?.path ?? []).map(String).join('.') || 'arguments'
  const message = `${shorten(name)}: ${issue?.message ?? 'is not valid'}`
  return new AppError('invalid', 'INVALID_PARAMETER', message, { parameter: shorten(name) })
}

const described = new WeakMap<Tool, StandardSchemaWithJSON>()

/**
 * The schema of a tool as clients see it. It accepts everything: `readArguments` checks the arguments, so that its errors
 * have the form of all others.
 */
export function describeArguments(tool: Tool): StandardSchemaWithJSON {
  const known = described.get(tool)
  if (known) return known
  const json = z.toJSONSchema(tool.described ?? tool.schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as Record<string, unknown>
  const schema: StandardSchemaWithJSON = {
    '~standard': {
      version: 1,
      vendor: 'sheaf',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  }
  described.set(tool, schema)
  return schema
}
