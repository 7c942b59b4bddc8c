/**
 * Interfaces of durable runs, and the engine-neutral part of an invocation: `@toolgen/runtime/durable`.
 *
 * @module
 */
export {
  type DurableAgents,
  type DurableAgentsOptions,
  durableAgents,
  durableInput,
  durableRun,
  requireAnswers,
} from './durable/durable-run.js'
export {
  type DurableClient,
  DurableError,
  type DurableErrorCode,
  type DurableInput,
  type DurableInvocation,
  type DurableParent,
  type DurableResult,
  type DurableRunOptions,
  type DurableStatus,
  type ParkedReport,
} from './durable/engine.js'
export type { UnknownOutcome } from './durable/journal.js'
