/**
 * What an instance of document-data understands of its requests. It reports this number to directory, and callers send it
 * nothing that it would ignore. Raise the number with each new field that an older instance must not ignore, and let the
 * callers of that field ask for the new number.
 *
 * - 1: reads of former moments (`as_of`), dry runs, strict writes, the history of one key, caps of keys.
 * - 2: documents that are kept when they are deleted (`keeps`), and made again (`CreateFromDeleted`).
 * - 3: searches in tables (`search`).
 * - 4: options of imports.
 * - 5: forms (`FormsService`).
 * - 6: searches in the values of a column (`search` of `ListColumnValues`), languages of searches (`locale`), and options of writes
 *   of `ImportTables`.
 */
export const DOCUMENT_PROTOCOL = 6
