import type { AgentDescriptor } from '../../contract/agent.js'
import type { ToolExecutor } from '../../contract/executor.js'
import type { ToolTable } from './tool-table.js'

/** An agent whose runs serve the calls of an executor. */
export interface AgentBeneath {
  readonly descriptor: AgentDescriptor
  readonly table: ToolTable
}

const BENEATH: unique symbol = Symbol('beneath')

interface AgentExecutor extends ToolExecutor {
  readonly [BENEATH]: () => AgentBeneath
}

/** An executor that says which agent serves its calls. */
export function executorOver(executor: ToolExecutor, beneath: () => AgentBeneath): ToolExecutor {
  const over: AgentExecutor = { ...executor, [BENEATH]: beneath }
  return over
}

/**
 * The agent that serves the calls of an executor; `undefined` where none does.
 *
 * @throws what the application's function throws that gives the agent.
 */
export function agentBeneath(executor: ToolExecutor): AgentBeneath | undefined {
  return isAgentExecutor(executor) ? executor[BENEATH]() : undefined
}

function isAgentExecutor(executor: ToolExecutor): executor is AgentExecutor {
  return BENEATH in executor
}
