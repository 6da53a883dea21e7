import { encodeChunks } from '@sheaf/protos/bytes'
import {
  ReadRecordsResponse,
  RecordsServiceService,
} from '@sheaf/protos/sheaf/document_data/v1/records'

/** RecordsService, with a serializer for reads that avoids copies of their bytes. */
export const recordsService = {
  ...RecordsServiceService,
  readRecords: {
    ...RecordsServiceService.readRecords,
    responseSerialize: encodeChunks(ReadRecordsResponse),
  },
}
