import { AppError } from '@sheaf/kit/errors'
import type {
  View as WireView,
  ViewFields as WireFields,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { ViewChange } from '../store/views/view-settings'
import type { View } from '../store/views/views'

/** Converts a view to its protobuf message. */
export function viewToWire({ id, fields }: View): WireView {
  const { filter, sort, columns, groupBy, summaries, form, ...rest } = fields
  return {
    id,
    fields: {
      ...rest,
      filterJson: Buffer.from(JSON.stringify(filter)),
      formJson: Buffer.from(JSON.stringify(form)),
      sort: { keys: [...sort] },
      groupBy: { keys: [...groupBy] },
      summaries: { columns: [...summaries] },
      columns: {
        columns: columns.map((column) => ({ ...column, hidden: column.hidden ?? false })),
      },
    },
  }
}

/** Reads the fields of a view to set. Throws `invalid` when there are none. */
export function viewFromWire(fields: WireFields | undefined): ViewChange {
  if (!fields) throw new AppError('invalid', 'BAD_FIELD', 'fields of a view are missing')
  const { filterJson, formJson, sort, columns, groupBy, summaries, ...rest } = fields
  return {
    ...rest,
    filter: filterJson,
    form: formJson,
    sort: sort?.keys,
    groupBy: groupBy?.keys,
    summaries: summaries?.columns,
    columns: columns?.columns.map(({ id, width, hidden }) => ({
      id,
      ...(width !== undefined && { width }),
      ...(hidden && { hidden }),
    })),
  }
}
