import { BoundTools } from './bound-tools.js'
import type { CallTarget } from './call/execute-call.js'

/** A registered toolset: executes calls without any agent. */
export class BoundToolset extends BoundTools {
  /** The name of the toolset, or of its use. */
  readonly name: string

  constructor(name: string, target: CallTarget) {
    super(target)
    this.name = name
  }
}
