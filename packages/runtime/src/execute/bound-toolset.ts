import { BoundTools } from './bound-tools.js'
import type { CallTarget } from './call/call-target.js'

/** A registered toolset: executes calls without any agent. */
export class BoundToolset<in Env = unknown> extends BoundTools<Env> {
  /** The name of the toolset, or of its use. */
  readonly name: string

  constructor(name: string, target: CallTarget) {
    super(target)
    this.name = name
  }
}
