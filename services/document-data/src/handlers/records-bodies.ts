import { AppError } from '@sheaf/kit/errors'
import { RecordsForm } from '@sheaf/protos/sheaf/document_data/v1/records'
import { readAddBody, type AddBody } from '../bodies/add-body'
import { readAddColumns, readUpdateColumns } from '../bodies/columns-body'
import { readUpdateBody, type UpdateBody } from '../bodies/update-body'

/**
 * Reads rows to add in the form of the request. Throws AppError `invalid` for an unknown form or a malformed
 * body.
 */
export function readNewRows(bodyJson: Uint8Array, form: RecordsForm): AddBody {
  switch (form) {
    case RecordsForm.UNSPECIFIED:
      return readAddBody(bodyJson)
    case RecordsForm.FLAT:
      return readAddBody(bodyJson, { flat: true })
    case RecordsForm.COLUMNS:
      return readAddColumns(bodyJson)
    default:
      throw badForm()
  }
}

/** Reads rows to change in the form of the request. Throws AppError `invalid` as above. */
export function readChangedRows(bodyJson: Uint8Array, form: RecordsForm): UpdateBody {
  switch (form) {
    case RecordsForm.UNSPECIFIED:
      return readUpdateBody(bodyJson)
    case RecordsForm.COLUMNS:
      return readUpdateColumns(bodyJson)
    default:
      throw badForm()
  }
}

const badForm = () => new AppError('invalid', 'BAD_FIELD', 'form is not supported here')
