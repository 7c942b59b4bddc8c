/** A reader of a log. */
interface Reader {
  /** The index of the entry that it reads next. */
  position: number
  /** Wakes the reader; present while it waits. */
  wake: (() => void) | undefined
}

/** Entries in order, for any number of iterators, each from the first entry on. */
export class Log<Entry> {
  protected readonly pushed: Entry[] = []
  protected readers: readonly Reader[] = []
  protected isClosed = false

  /** The entries so far. */
  get entries(): readonly Entry[] {
    return this.pushed
  }

  push(entry: Entry): void {
    this.pushed.push(entry)
    this.wakeReaders()
  }

  /** Nothing follows: iterators end when they have read everything. */
  close(): void {
    this.isClosed = true
    this.wakeReaders()
  }

  /** Every entry from the first on. */
  iterate(): AsyncIterableIterator<Entry> {
    const reader: Reader = { position: 0, wake: undefined }
    this.readers = [...this.readers, reader]
    const leave = (): IteratorResult<Entry> => {
      this.readers = this.readers.filter((each) => each !== reader)
      reader.wake?.()
      this.moved()
      return { done: true, value: undefined }
    }
    return {
      next: async () => {
        for (;;) {
          if (!this.readers.includes(reader)) return { done: true, value: undefined }
          const { entries } = this
          if (reader.position < entries.length) {
            const value = entries[reader.position] as Entry
            reader.position += 1
            this.moved()
            return { done: false, value }
          }
          if (this.isClosed) return leave()
          await new Promise<void>((resolve) => {
            const before = reader.wake
            reader.wake = () => {
              before?.()
              resolve()
            }
          })
        }
      },
      return: async () => leave(),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  /** A reader has read an entry or has left. */
  protected moved(): void {}

  protected wakeReaders(): void {
    for (const reader of this.readers) {
      const { wake } = reader
      reader.wake = undefined
      wake?.()
    }
  }
}
