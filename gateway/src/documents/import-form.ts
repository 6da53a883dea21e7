import type { z } from 'zod'
import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { AppendTarget, ImportOptions } from '@sheaf/protos/sheaf/document_data/v1/import'
import { parseJson } from '../http/body'
import type { Exchange } from '../http/exchange'
import { readForm, type FormField, type FormFile, type FormPart } from '../http/multipart'
import { prefersStrict } from '../http/preferences'
import { requireKeptInput, unknownField } from '../http/strict-input'
import { importOptions, importTarget, toWireOptions, toWireTarget } from '../schemas/import-options'
import { nameText } from '../schemas/text'

/** The fields of the form that precede its file. */
interface ImportFields {
  /** Name of the document; empty if not given. */
  name: string
  /** How the file is read; undefined if not given. */
  options: ImportOptions | undefined
  /** The table that rows are appended to; undefined if not given. */
  target: AppendTarget | undefined
  /** Whether the file is the beginning of another one. */
  isPart: boolean
}

/** The form of an import: fields, and one file, whose bytes are streamed. */
export class ImportForm implements Readonly<ImportFields> {
  readonly name: string
  readonly options: ImportOptions | undefined
  readonly target: AppendTarget | undefined
  readonly isPart: boolean

  private constructor(
    readonly file: FormFile,
    fields: ImportFields,
    /** Rejects when the form turns out to be malformed after the beginning of the file. */
    readonly whole: Promise<void>,
    private readonly reading: AbortController,
  ) {
    this.name = fields.name
    this.options = fields.options
    this.target = fields.target
    this.isPart = fields.isPart
    // What uses the file rejects with the same error, which is reported there.
    this.whole.catch(() => {})
  }

  /**
   * Reads the form up to its file. Throws `invalid` for a bad field, for one that the route does not have, and without a
   * file, and as `readForm`.
   */
  static async read(exchange: Exchange, { shape }: z.ZodObject): Promise<ImportForm> {
    const reading = new AbortController()
    const parts = readForm(exchange, AbortSignal.any([exchange.signal, reading.signal]))
    const fields: ImportFields = {
      name: '',
      options: undefined,
      target: undefined,
      isPart: false,
    }
    const isStrict = prefersStrict(exchange.request)
    const requireOwn = ({ name }: FormPart) => {
      if (Object.hasOwn(shape, name)) return
      if (FIELDS.has(name)) throw badField(name, 'is not a field of this route')
      if (isStrict) throw unknownField(shorten(name))
    }
    try {
      for (let next = await parts.next(); !next.done; next = await parts.next()) {
        const part = next.value
        if (part.kind === 'field') {
          requireOwn(part)
          readField(part, fields)
        } else if (part.name === 'upload')
          return new ImportForm(part, fields, requireEnd(parts, requireOwn), reading)
        else
          throw badUpload(
            `unexpected file field "${shorten(part.name)}": the file must be in the field "upload"`,
          )
      }
      throw badUpload('upload is required: the form must have one file in this field')
    } catch (error) {
      // Otherwise the rest of the body would never be read.
      await parts.return(undefined)
      throw error
    }
  }

  /** Ends reading the form. */
  stop(reason: unknown): void {
    this.reading.abort(reason)
  }
}

/** Reads a form to its end. Throws `invalid` for another file, and for a field that would have no effect any more. */
async function requireEnd(
  parts: AsyncGenerator<FormPart>,
  requireOwn: (part: FormPart) => void,
): Promise<void> {
  // Thrown at the end: the bytes of the file may not have been read yet.
  let fault: unknown
  for await (const part of parts) {
    if (part.kind === 'file') throw badUpload('upload must be a single file')
    try {
      requireOwn(part)
      if (FIELDS.has(part.name)) throw badField(part.name, 'must come before the file')
    } catch (error) {
      fault ??= error
    }
  }
  if (fault !== undefined) throw fault as AppError
}

const FIELDS = new Set(['name', 'options', 'target', 'part'])

const badUpload = (message: string) =>
  new AppError('invalid', 'BAD_UPLOAD', message, { field: 'upload' })

const badField = (field: string, problem: string) =>
  new AppError('invalid', 'BAD_FIELD', `${field} ${problem}`, { field })

function readField({ name, value }: FormField, fields: ImportFields): void {
  if (name === 'name') fields.name = readName(value)
  else if (name === 'options') fields.options = toWireOptions(readJson(name, value, importOptions))
  else if (name === 'target') fields.target = toWireTarget(readJson(name, value, importTarget))
  else if (name === 'part') fields.isPart = readFlag(name, value)
}

function readName(value: string): string {
  const { success, data } = nameText.safeParse(value)
  if (success) return data
  throw badField('name', 'is too long or contains invalid characters')
}

function readFlag(name: string, value: string): boolean {
  if (value !== 'true' && value !== 'false') throw badField(name, 'must be true or false')
  return value === 'true'
}

function readJson<T>(name: string, value: string, schema: z.ZodType<T>): T {
  const given = parseField(name, value)
  requireKeptInput(given, { root: name })
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  const [issue] = error.issues
  const path = [name, ...(issue?.path ?? [])].map((step) => shorten(String(step))).join('.')
  throw badField(path, `is not valid: ${issue?.message ?? ''}`)
}

function parseField(name: string, value: string): unknown {
  try {
    return parseJson(Buffer.from(value))
  } catch {
    throw new AppError('invalid', 'MALFORMED_JSON', `${name} must be a JSON object`, {
      field: name,
    })
  }
}
