import type { ServedService } from '@sheaf/kit/grpc/server'
import { ColumnsServiceService } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { FormsServiceService } from '@sheaf/protos/sheaf/document_data/v1/forms'
import { TablesServiceService } from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { Context } from '../context'
import { columns } from './columns'
import { forms } from './forms'
import { formulas } from './formulas'
import { serveAdmitted } from './served-document'
import { tables } from './tables'
import { withMoment } from './with-moment'

/** Services for tables, with their columns and views. */
export function createStructureServices(ctx: Context): ServedService[] {
  return [
    serveAdmitted(ctx, TablesServiceService, withMoment(ctx, TablesServiceService, tables)),
    serveAdmitted(ctx, ColumnsServiceService, {
      ...withMoment(ctx, ColumnsServiceService, columns),
      ...formulas(ctx),
    }),
    serveAdmitted(ctx, FormsServiceService, forms(ctx)),
  ]
}
