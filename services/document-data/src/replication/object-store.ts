/** Small objects by name, durable, shared by all instances. Names are paths of UUIDs, numbers and hashes. */
export interface ObjectStore {
  /** Stores an object, durably; replaces one with this name. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** The bytes of an object; undefined when there is none. */
  get(name: string): Promise<Buffer | undefined>
  /** True when there is an object with this name. */
  has(name: string): Promise<boolean>
  /** Removes all objects whose names begin with this folder. */
  removeFolder(folder: string): Promise<void>
}
