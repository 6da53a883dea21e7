import type { Attachment } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { z } from 'zod'
import { docParams, flag } from './parameters'
import { recordsQuery } from './records'

const integerText = z
  .string()
  .regex(/^-?\d{1,15}$/, 'cannot be understood as an integer')
  .transform(Number)

/** Path parameters of an attachment. */
export const attachmentParams = docParams.extend({
  attachmentId: integerText.meta({
    type: 'integer',
    description: 'Row id of the attachment',
    example: 1,
  }),
})

/** Metadata of an attachment. */
export const attachment = z
  .object({
    fileName: z.string().describe('Name of the file'),
    fileSize: z.int().meta({ description: 'Size in bytes' }),
    timeUploaded: z.iso.datetime().describe('Time of the upload'),
  })
  .meta({ id: 'Attachment', description: 'Metadata of an attachment' })

/** Metadata of attachments by row id. */
export const attachments = z.object({
  records: z
    .array(z.object({ id: z.int().describe('Row id of the attachment'), fields: attachment }))
    .describe('Attachments of the selection'),
})

/** Selection of attachments. */
export const attachmentsQuery = recordsQuery.pick({
  filter: true,
  sort: true,
  limit: true,
  offset: true,
})

/** Query parameters of a file download. */
export const downloadQuery = z.object({
  name: z
    .string()
    .max(255, 'must have at most 255 characters')
    .optional()
    .meta({ description: 'File name in the response, instead of that of the attachment' }),
  inline: flag('Allow browsers to display the file, if its type is safe, instead of saving it'),
  tableId: z.string().optional().meta({
    description:
      'Table of a cell that refers to the attachment; requires `colId` and `rowId`. Has no effect.',
  }),
  colId: z.string().optional().meta({ description: 'Column of that cell. Has no effect.' }),
  rowId: integerText
    .optional()
    .meta({ type: 'integer', description: 'Row id of that cell. Has no effect.' }),
  maybeNew: flag('Accepted for compatibility. Has no effect.'),
})

/** A form with files. */
export const uploadForm = z.object({
  upload: z
    .array(z.string().meta({ format: 'binary' }))
    .min(1)
    .meta({ description: 'Files to attach; at most 1,000' }),
})

/** A form with an archive. */
export const archiveForm = z.object({
  upload: z.string().meta({ format: 'binary', description: 'TAR archive, in a field of any name' }),
})

/** Query parameters of removing unused attachments. */
export const removeUnusedQuery = z.object({
  expiredonly: flag('Remove only attachments that have been unused for 7 days'),
  verifyfiles: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((value) => !(typeof value === 'string' && /^(0|off|false|no)$/i.test(value)))
    .meta({
      type: 'boolean',
      default: true,
      description:
        'Verify the contents of all attachments first, and remove nothing if some are damaged',
    }),
})

/** Query parameters of an archive download. */
export const archiveQuery = z.object({
  format: z
    .enum(['', 'zip', 'tar'], 'should be one of zip,tar')
    .optional()
    .transform((word) => word || 'zip')
    .meta({ type: 'string', enum: ['zip', 'tar'], default: 'zip', description: 'Archive format' }),
})

/** Results of restoring an archive. */
export const restored = z.object({
  added: z.int().describe('Number of files that were restored'),
  errored: z.int().describe('Number of files that could not be restored'),
  unused: z.int().describe('Number of files that no attachment refers to'),
})

const storeType = z.enum(['internal', 'external'])

/** The store of attachments. */
export const store = z.object({
  type: storeType.describe('Where files are stored; always `internal`'),
})

/** External stores. */
export const stores = z.object({
  stores: z
    .array(z.object({ label: z.string().describe('Name of the store') }))
    .describe('Always empty: files are stored in their document only'),
})

/** Status of the transfer to another store. */
export const transferStatus = z.object({
  status: z
    .object({
      pendingTransferCount: z.int().describe('Number of files to transfer; always 0'),
      isRunning: z.boolean().describe('Whether a transfer is running; always false'),
      successes: z.int().describe('Number of transferred files'),
      failures: z.int().describe('Number of files that could not be transferred'),
    })
    .describe('Progress of the transfer'),
  locationSummary: z
    .enum(['internal', 'mixed', 'external'])
    .describe('Where the files of the document are stored; always `internal`'),
})

/** Row ids of uploaded files. */
export const attachmentIds = z.array(z.int()).meta({ description: 'Row ids, in file order' })

/** Converts the metadata of an attachment to its JSON. */
export function toAttachment(of: Attachment): z.output<typeof attachment> {
  const { fileName, fileSize, timeUploaded } = of
  return { fileName, fileSize, timeUploaded }
}
