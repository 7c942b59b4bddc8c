import type { AgentDescriptor } from '../contract/agent.js'
import { BoundTools } from './bound-tools.js'
import type { CallTarget } from './call/execute-call.js'

/** A registered agent: executes calls of the tools that it uses. */
export class BoundAgent extends BoundTools {
  readonly agent: AgentDescriptor

  constructor(agent: AgentDescriptor, target: CallTarget) {
    super(target)
    this.agent = agent
  }
}
