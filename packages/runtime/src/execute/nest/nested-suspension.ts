import type { RunSuspension } from '../../contract/suspension.js'

/** What an executor answers with whose own run waits for somebody: the call is suspended then. */
export class NestedSuspension {
  readonly run: RunSuspension

  constructor(run: RunSuspension) {
    this.run = run
  }
}
