import type { ServedService } from '@sheaf/kit/grpc/server'
import { ChangesServiceService } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { PresenceServiceService } from '@sheaf/protos/sheaf/document_data/v1/presence'
import type { Context } from '../context'
import type { Presence } from '../presence'
import { changes } from './changes'
import { watchedPresence } from './presence'
import { serveDocument } from './served-document'

/** The services whose calls wait for what happens in a document. They apply admission control themselves. */
export function createLiveServices(ctx: Context, presence: Presence): ServedService[] {
  return [
    serveDocument(ctx, ChangesServiceService, changes(ctx)),
    serveDocument(ctx, PresenceServiceService, watchedPresence(ctx, presence)),
  ]
}
