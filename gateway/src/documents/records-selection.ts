import { CellFormat, type ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { z } from 'zod'
import type { Exchange } from '../http/exchange'
import { toParameterError } from '../http/validation-errors'
import { recordsHeaders, type dataQuery } from '../schemas/records'

type Selection = Pick<ReadRecordsRequest, 'filterJson' | 'sort' | 'limit' | 'cellFormat'>

/** Reads which rows a request selects: from its query and, for parameters absent there, from its headers. */
export function readSelection(
  { request: { headers } }: Exchange,
  query: z.output<typeof dataQuery>,
): Selection {
  const given = { 'X-Sort': headers['x-sort'], 'X-Limit': headers['x-limit'] }
  const fromHeaders = recordsHeaders.safeParse(given)
  if (!fromHeaders.success) throw toParameterError(fromHeaders.error, given)
  const sort = query.sort ?? fromHeaders.data['X-Sort']
  return {
    filterJson: Buffer.from(query.filter ?? ''),
    sort: sort ? sort.split(',') : [],
    limit: query.limit ?? fromHeaders.data['X-Limit'] ?? 0,
    cellFormat: query.cellFormat === 'typed' ? CellFormat.TYPED : CellFormat.UNSPECIFIED,
  }
}
