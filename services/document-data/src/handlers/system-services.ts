import type { ServedService } from '@sheaf/kit/grpc/server'
import { BackupServiceService } from '@sheaf/protos/sheaf/document_data/v1/backup'
import { InstanceServiceService } from '@sheaf/protos/sheaf/document_data/v1/instance'
import type { Context } from '../context'
import { backup } from './backup'
import { instance } from './instance'
import { serveDocument } from './served-document'

/** The services for Sheaf itself and its operators. */
export function createSystemServices(ctx: Context): ServedService[] {
  return [
    serveDocument(ctx, BackupServiceService, backup(ctx)),
    serveDocument(ctx, InstanceServiceService, instance(ctx)),
  ]
}
