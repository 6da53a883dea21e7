/** Progress of an upload, in bytes of the files. */
export interface UploadProgress {
  readonly sent: number
  readonly total: number
}

/** A form to send, and who is told how much of it was sent. */
export interface Upload {
  readonly form: FormData
  /** Size of the files. */
  readonly total: number
  readonly onProgress?: (progress: UploadProgress) => void
}

/** One HTTP request. */
export interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body?: string | Upload
  readonly signal: AbortSignal
}
