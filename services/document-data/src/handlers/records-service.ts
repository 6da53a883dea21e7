import { encodeChunks } from '@sheaf/protos/bytes'
import {
  ReadRecordsResponse,
  RecordsServiceService,
} from '@sheaf/protos/sheaf/document_data/v1/records'

/** RecordsService, whose reads of whole tables copy their bytes no more than they must. */
export const recordsService = {
  ...RecordsServiceService,
  readRecords: {
    ...RecordsServiceService.readRecords,
    responseSerialize: encodeChunks(ReadRecordsResponse),
  },
}
