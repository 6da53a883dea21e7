import type { Attachment } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { z } from 'zod'
import { docParams, flag } from './parameters'
import { recordsQuery } from './records'

const integerText = z
  .string()
  .regex(/^-?\d{1,15}$/, 'cannot be understood as an integer')
  .transform(Number)

/** An attachment of a document in a path. */
export const attachmentParams = docParams.extend({
  attachmentId: integerText.meta({ type: 'integer', description: 'Row id', example: 1 }),
})

/** Metadata of an attachment. */
export const attachment = z
  .object({
    fileName: z.string(),
    fileSize: z.int().meta({ description: 'In bytes' }),
    timeUploaded: z.iso.datetime(),
  })
  .meta({ id: 'Attachment' })

/** Metadata of several attachments. */
export const attachments = z.object({
  records: z.array(z.object({ id: z.int(), fields: attachment })),
})

/** Selection and order of attachments. */
export const attachmentsQuery = recordsQuery.pick({
  filter: true,
  sort: true,
  limit: true,
  offset: true,
})

/** How a file is sent. */
export const downloadQuery = z.object({
  name: z
    .string()
    .max(255, 'is too long')
    .optional()
    .meta({ description: 'Name of the file in the answer, instead of its own' }),
  inline: flag('Let browsers show the file, where that is safe, instead of saving it'),
  tableId: z.string().optional().meta({ description: 'Table of a cell that holds it' }),
  colId: z.string().optional().meta({ description: 'Column of that cell' }),
  rowId: integerText.optional().meta({ type: 'integer', description: 'Row of that cell' }),
  maybeNew: flag('It may not be in a cell yet; who may read the document need not say so'),
})

/** A form with files. */
export const uploadForm = z.object({
  upload: z
    .array(z.string().meta({ format: 'binary' }))
    .min(1)
    .meta({ description: 'The files' }),
})

/** A form with an archive. */
export const archiveForm = z.object({
  upload: z.string().meta({ format: 'binary', description: 'A .tar file, in a field of any name' }),
})

/** Which of the two steps to run: removal, and detection. */
export const removeUnusedQuery = z.object({
  expiredonly: flag('Only what has been unused for 7 days'),
  verifyfiles: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((value) => !(typeof value === 'string' && /^(0|off|false|no)$/i.test(value)))
    .meta({
      type: 'boolean',
      default: true,
      description: 'Then compare the bytes of what is left with what they should be',
    }),
})

/** Format of an archive. */
export const archiveQuery = z.object({
  format: z
    .enum(['', 'zip', 'tar'], 'should be one of zip,tar')
    .optional()
    .transform((word) => word || 'zip')
    .meta({ type: 'string', enum: ['zip', 'tar'], default: 'zip', description: 'Kind of archive' }),
})

/** The result of restoring files from an archive. */
export const restored = z.object({ added: z.int(), errored: z.int(), unused: z.int() })

const storeType = z.enum(['internal', 'external'])

/** Where the contents of attachments are stored. */
export const store = z.object({ type: storeType })

/** External stores for attachments. */
export const stores = z.object({ stores: z.array(z.object({ label: z.string() })) })

/** State of a transfer between stores. */
export const transferStatus = z.object({
  status: z.object({
    pendingTransferCount: z.int(),
    isRunning: z.boolean(),
    successes: z.int(),
    failures: z.int(),
  }),
  locationSummary: z.enum(['internal', 'mixed', 'external']),
})

/** Row ids of uploaded files. */
export const attachmentIds = z
  .array(z.int())
  .meta({ description: 'Row ids, in the order of the files' })

/** Converts an attachment to JSON. */
export function toAttachment(of: Attachment): z.output<typeof attachment> {
  const { fileName, fileSize, timeUploaded } = of
  return { fileName, fileSize, timeUploaded }
}
