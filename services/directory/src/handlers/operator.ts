import { serve, type ServedService } from '@sheaf/kit/grpc/server'
import { BackupServiceService } from '@sheaf/protos/sheaf/directory/v1/backup'
import { HomesServiceService } from '@sheaf/protos/sheaf/directory/v1/homes'
import { KeysServiceService } from '@sheaf/protos/sheaf/directory/v1/keys'
import { ProfileServiceService } from '@sheaf/protos/sheaf/directory/v1/profile'
import { SessionsServiceService } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { UsersServiceService } from '@sheaf/protos/sheaf/directory/v1/users'
import type { Context } from '../context'
import { backup } from './backup'
import { homes } from './homes'
import { keys } from './keys'
import { profile } from './profile'
import { sessions } from './sessions'
import { users } from './users'

/** Services for Sheaf's own processes and for operators. */
export function createOperatorServices(ctx: Context): ServedService[] {
  return [
    serve(BackupServiceService, backup(ctx)),
    serve(HomesServiceService, homes(ctx)),
    serve(KeysServiceService, keys(ctx)),
    serve(ProfileServiceService, profile(ctx)),
    serve(SessionsServiceService, sessions(ctx)),
    serve(UsersServiceService, users(ctx)),
  ]
}
