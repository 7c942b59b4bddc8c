import { openSync, writeSync } from 'node:fs'

/** A file of records, one a line. A record that was written is there, also when this process is killed right after. */
export class LogFile {
  #file

  constructor(path) {
    this.#file = openSync(path, 'a')
  }

  write(record) {
    writeSync(this.#file, `${JSON.stringify(record)}\n`)
  }
}
