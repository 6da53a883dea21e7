/**
 * Connects producers of work with its consumers, without dependencies between them. The consumers set the
 * callbacks.
 */
export class Notifier {
  /** Starts delivery: events were queued. */
  deliver: () => void = () => {}
  /** Starts matching: the log of this document may hold entries that have not been matched. */
  match: (docId: string) => void = () => {}
}
