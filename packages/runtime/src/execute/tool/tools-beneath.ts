import type { ToolExecutor } from '../../contract/executor.js'
import type { BoundTool } from './bound-tool.js'

const BENEATH: unique symbol = Symbol('beneath')

interface AgentExecutor extends ToolExecutor {
  readonly [BENEATH]: () => readonly BoundTool[]
}

/** An executor that says which tools the runs beneath its calls have. */
export function executorOver(executor: ToolExecutor, beneath: () => readonly BoundTool[]): ToolExecutor {
  const over: AgentExecutor = { ...executor, [BENEATH]: beneath }
  return over
}

/** The tools that runs beneath the calls of an executor have; empty for one that begins no runs. */
export function toolsBeneath(executor: ToolExecutor): readonly BoundTool[] {
  return isAgentExecutor(executor) ? executor[BENEATH]() : []
}

function isAgentExecutor(executor: ToolExecutor): executor is AgentExecutor {
  return BENEATH in executor
}
