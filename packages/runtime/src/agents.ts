/**
 * Agents, planners, runs, hooks and suspensions: `@toolgen/runtime/agents`.
 *
 * @module
 */

export type { Agent, AgentBuilder, Feature, ToolFactory } from './agents/agent-builder.js'
export { compiledRequest } from './agents/agent-builder.js'
export type { RunOptions } from './agents/bound-agent.js'
export { answer, ask, callTools } from './agents/decisions.js'
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
} from './agents/features.js'
export type { Guards } from './agents/guards.js'
export { hookPriority } from './agents/hooks.js'
export { agentLoop } from './agents/loop.js'
export type { ModelPlannerOptions } from './agents/model-planner.js'
export { modelPlanner } from './agents/model-planner.js'
export { ModelResponseError } from './agents/model-response.js'
export { claimsInMemory } from './agents/resume.js'
export type { RunHandle } from './agents/run-handle.js'
export { signSuspensions } from './agents/sign-suspensions.js'
export { SuspensionError } from './agents/suspension.js'
export type { Hook, HookContext, HookPhase, RunLayer, StepLayer } from './types/layer.js'
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
