import type { ImportOptions, ImportPreview } from '@sheaf/client'

/** Returns the options after a change. Chosen types are dropped with the columns that they were chosen for. */
export function changeOptions(options: ImportOptions, change: ImportOptions): ImportOptions {
  const { types, ...others } = options
  const keeps = change.decimal !== undefined && types !== undefined
  return { ...others, ...(keeps && { types }), ...change }
}

/** Returns the options with the type of a column. */
export function chooseType(
  options: ImportOptions,
  { table, column }: { readonly table: string; readonly column: string },
  type: string,
): ImportOptions {
  const { types = {} } = options
  return { ...options, types: { ...types, [table]: { ...types[table], [column]: type } } }
}

/** Returns the options to import a file with, which then reads as it was shown. An encoding that was not chosen is detected. */
export function optionsToImport(options: ImportOptions, preview: ImportPreview): ImportOptions {
  const { delimiter, header, decimal } = preview.options
  return {
    ...(delimiter !== undefined && { delimiter }),
    ...(header !== undefined && { header }),
    ...(decimal !== undefined && { decimal }),
    ...options,
  }
}

/** Returns the number of rows of a file; undefined if only its beginning was read. */
export function countRows({ tables, hasMore }: ImportPreview): number | undefined {
  return hasMore ? undefined : tables.reduce((sum, { rows }) => sum + rows, 0)
}
