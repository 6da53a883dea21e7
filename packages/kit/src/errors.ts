/** gRPC status codes, as numbers: loading grpc-js for its enum costs every worker and child process 30 ms and 13 MB. */
export const grpcStatus = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  OUT_OF_RANGE: 11,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const

/**
 * The table of error codes with their gRPC and HTTP statuses, which are defined nowhere else. Where two codes share a
 * gRPC status, the reason that travels with the error distinguishes them.
 */
export const codes = {
  invalid: { grpc: grpcStatus.INVALID_ARGUMENT, http: 400 },
  unauthenticated: { grpc: grpcStatus.UNAUTHENTICATED, http: 401 },
  forbidden: { grpc: grpcStatus.PERMISSION_DENIED, http: 403 },
  not_found: { grpc: grpcStatus.NOT_FOUND, http: 404 },
  not_allowed: { grpc: grpcStatus.INVALID_ARGUMENT, http: 405 },
  conflict: { grpc: grpcStatus.ALREADY_EXISTS, http: 409 },
  precondition: { grpc: grpcStatus.FAILED_PRECONDITION, http: 412 },
  too_large: { grpc: grpcStatus.OUT_OF_RANGE, http: 413 },
  range: { grpc: grpcStatus.OUT_OF_RANGE, http: 416 },
  unsupported_media: { grpc: grpcStatus.INVALID_ARGUMENT, http: 415 },
  mismatch: { grpc: grpcStatus.INVALID_ARGUMENT, http: 422 },
  too_many: { grpc: grpcStatus.RESOURCE_EXHAUSTED, http: 429 },
  internal: { grpc: grpcStatus.INTERNAL, http: 500 },
  unavailable: { grpc: grpcStatus.UNAVAILABLE, http: 503 },
  timeout: { grpc: grpcStatus.DEADLINE_EXCEEDED, http: 504 },
} as const

/** Name of a row of the table. */
export type ErrorCode = keyof typeof codes

/**
 * An error that the caller can act on. Its message and metadata are shown to the caller, so they never hold a cell
 * value, a key or an internal name. Anything that is not an AppError is a bug: it is logged where it occurred and
 * reported as `internal`, without its text.
 */
export class AppError extends Error {
  /**
   * @param code row of the table
   * @param reason UPPER_SNAKE, stable, listed in docs/errors.md; for programs
   * @param message for people, naming the field at fault
   * @param metadata further facts for programs; becomes `details` of a REST error
   */
  constructor(
    readonly code: ErrorCode,
    readonly reason: string,
    message: string,
    readonly metadata: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'AppError'
  }
}

/** Returns the error itself when it is an AppError, otherwise undefined. */
export function toAppError(error: unknown): AppError | undefined {
  return error instanceof AppError ? error : undefined
}

const byGrpcStatus = new Map<number, ErrorCode>(
  (Object.keys(codes) as ErrorCode[]).reverse().map((code) => [codes[code].grpc, code]),
)

/** The code of a gRPC status; `internal` for a status that no code has. The first row wins where several share one. */
export function codeOfGrpcStatus(status: number): ErrorCode {
  return byGrpcStatus.get(status) ?? 'internal'
}

/** True when the text names a row of the table. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(codes, text)
}
