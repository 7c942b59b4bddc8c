/**
 * Agents, planners, runs, hooks and suspensions: `@toolgen/runtime/agents`.
 *
 * @module
 */

export type { Agent, AgentBuilder, Feature, Guards, ToolFactory } from './agents/agent-builder.js'
export {
  base,
  STANDARD_GUARDS,
  standard,
  useContext,
  useEvents,
  useGuards,
  useHook,
  useMessageCompiler,
  useModel,
  usePlanner,
  useStandard,
  useToolFactory,
  useTools,
  wrapMessageCompiler,
} from './agents/agent-builder.js'
export { hookPriority } from './agents/hooks.js'
export { agentLoop } from './agents/loop.js'
export type { ModelPlannerOptions } from './agents/planner.js'
export { answer, ask, callTools, compiledRequest, ModelResponseError, modelPlanner } from './agents/planner.js'
export { claimsInMemory } from './agents/resume.js'
export type { RunHandle } from './agents/run-handle.js'
export type { RunOptions } from './agents/runtime.js'
export { SuspensionError, signSuspensions } from './agents/suspension.js'
export type { Hook, HookContext, HookPhase } from './types/hook.js'
export type { RunLayer, StepLayer } from './types/layer.js'
export type {
  Answers,
  CallSuspension,
  PendingAnswer,
  PendingCall,
  ResumeClaims,
  RunSuspension,
  SuspensionSigner,
} from './types/outcome.js'
export type {
  Decision,
  MessageCompiler,
  ModelCall,
  ModelDriver,
  ModelRequest,
  ModelResponse,
  Planner,
  PlanRequest,
  ResponseFormat,
  RunMeta,
  TokenUsage,
} from './types/planner.js'
export type { AgentDescriptor } from './types/registration.js'
export type {
  AgentRun,
  RunInput,
  RunPolicy,
  RunRequest,
  RunResult,
  RunState,
  RunStatus,
  RunUsage,
  StepRequest,
  StepResult,
  StopCondition,
} from './types/run.js'
