import { Metadata, status as Status, type ServiceError, type StatusObject } from '@grpc/grpc-js'
import { encodeBytes } from '@sheaf/protos/bytes'
import { ErrorInfo } from '@sheaf/protos/google/rpc/error_details'
import { Status as RpcStatus } from '@sheaf/protos/google/rpc/status'
import { AppError, codeOfGrpcStatus, codes, isErrorCode, toAppError } from '../errors'

const DETAILS = 'grpc-status-details-bin'
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'
const DOMAIN = 'sheaf'
/** Metadata key for the row of the error table, since several rows share a gRPC status. */
const CODE = 'code'

/**
 * Encodes an error for the wire: status, message and a google.rpc.ErrorInfo that any gRPC client can read. Errors other than
 * AppError become INTERNAL without their text, with `isBug` set: the caller logs them.
 */
export function encodeError(error: unknown): { status: StatusObject; isBug: boolean } {
  const known = toAppError(error)
  const app = known ?? new AppError('internal', 'INTERNAL', 'internal error')
  const info = ErrorInfo.fromPartial({
    reason: app.reason,
    domain: DOMAIN,
    metadata: { ...app.metadata, [CODE]: app.code },
  })
  const code = codes[app.code].grpc
  const status = RpcStatus.fromPartial({
    code,
    message: app.message,
    details: [{ typeUrl: ERROR_INFO, value: encodeBytes(ErrorInfo, info) }],
  })
  const metadata = new Metadata()
  metadata.set(DETAILS, encodeBytes(RpcStatus, status))
  return { status: { code, details: app.message, metadata }, isBug: known === undefined }
}

/** Decodes the failure of a call, including statuses of the transport itself, into an AppError. */
export function decodeError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (!isServiceError(error)) throw error
  const [details] = error.metadata.get(DETAILS)
  return decodeStatus(error.code, error.details, Buffer.isBuffer(details) ? details : undefined)
}

/** Decodes a status into an AppError. `details` is an encoded google.rpc.Status. */
export function decodeStatus(code: number, message: string, details?: Uint8Array): AppError {
  const info = details && readErrorInfo(details)
  if (info?.domain !== DOMAIN) return transportError(code)
  const { [CODE]: name = '', ...metadata } = info.metadata
  return new AppError(
    isErrorCode(name) ? name : codeOfGrpcStatus(code),
    info.reason,
    message,
    metadata,
  )
}

/** The encoded google.rpc.Status of an error that encodeError made. */
export function detailsOf(status: StatusObject): Buffer {
  const [details] = status.metadata.get(DETAILS)
  return Buffer.isBuffer(details) ? details : Buffer.alloc(0)
}

/** Statuses that come from the transport, not from a handler; their texts hold addresses, which are not shown. */
export function transportError(code: Status): AppError {
  switch (code) {
    case Status.UNAVAILABLE:
      return new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'service unavailable, retry later')
    case Status.DEADLINE_EXCEEDED:
      return new AppError('timeout', 'DEADLINE_EXCEEDED', 'request timed out')
    case Status.CANCELLED:
      return new AppError('unavailable', 'CANCELLED', 'request cancelled')
    case Status.RESOURCE_EXHAUSTED:
      return new AppError('too_large', 'MESSAGE_TOO_LARGE', 'request entity too large')
    case Status.UNIMPLEMENTED:
      return new AppError(
        'unavailable',
        'SERVICE_TOO_OLD',
        'a service is older than this call and is being upgraded, retry later',
      )
    default:
      return new AppError('internal', 'SERVICE_ERROR', 'internal service error')
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return (
    error instanceof Error &&
    'code' in error &&
    'metadata' in error &&
    typeof error.code === 'number'
  )
}

function readErrorInfo(details: Uint8Array): ErrorInfo | undefined {
  const detail = RpcStatus.decode(details).details.find(({ typeUrl }) => typeUrl === ERROR_INFO)
  return detail && ErrorInfo.decode(detail.value)
}
