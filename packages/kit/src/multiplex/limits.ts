/** Requests above this go by plain gRPC, in bytes: on a shared stream they would hold up the small ones behind them. */
export const LARGEST_SENT_CALL = 256 * 1024
/** Largest request that a server takes over the stream, in bytes; as the contract says. */
export const LARGEST_CALL = 1024 * 1024
/** Calls under way on one stream; as the contract says. */
export const MAX_CALLS = 1024
/** Payloads of the calls under way on one stream, in bytes; as the contract says. */
export const MAX_CALL_BYTES = 32 * 1024 * 1024
/** Largest message of the client on a stream, in bytes; as the contract says. */
export const LARGEST_REQUEST = 2 * 1024 * 1024
/** Credit that each call begins with, in bytes; as the contract says. */
export const WINDOW = 512 * 1024
/** A longer message is sent in parts of this length, in bytes, so that others come in between. */
export const PART = 512 * 1024
/** Answers whose messages are no longer than this, in bytes, are sent before the others. */
export const SHORT = 64 * 1024
/** About how much goes into one message of the stream, in bytes. */
export const BATCH = 256 * 1024
