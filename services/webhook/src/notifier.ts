/** How the parts tell each other that there is something to do, without knowing each other. Each is set by who does it. */
export class Wakes {
  /** Deliveries may be due: something was queued. */
  sender: () => void = () => {}
  /** The log of this document may hold entries that have not been matched. */
  matcher: (docId: string) => void = () => {}
}
