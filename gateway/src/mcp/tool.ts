import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { Exchange } from '../http/exchange'
import { docParams } from '../schemas/parameters'

/** One call of a tool. */
export interface ToolCall {
  readonly exchange: Exchange
  /** Id of the JSON-RPC request. */
  readonly id: string | number
}

/** A tool that agents may call. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  /** Schema that arguments must match. */
  readonly schema: z.ZodObject
  /** Schema that clients see, where it says more than the one that is checked. */
  readonly described?: z.ZodObject
  /** Answers with a JSON object. Throws AppError as the route for the same purpose does. */
  readonly run: (call: ToolCall, args: unknown) => Promise<string>
}

type Spec<S extends z.ZodObject> = Omit<Tool, 'schema' | 'run' | 'annotations'> & {
  readonly schema: S
  readonly annotations?: ToolAnnotations
  readonly run: (call: ToolCall, args: z.output<S>) => Promise<string>
}

const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Of tools that may delete rows, and that do more when they are called again. Webhooks may report their changes. */
export const writes: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}

/** Defines a tool, which only reads by default; the type of its schema is that of its arguments. */
export function defineTool<S extends z.ZodObject>(spec: Spec<S>): Tool {
  // The schema that defines the type is the one that validates the arguments.
  return { annotations: reads, ...spec, run: spec.run as Tool['run'] }
}

/** The argument that names a document. */
export const { docId } = docParams.shape
