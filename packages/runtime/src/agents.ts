/**
 * Agents, planners, runs, hooks and suspensions: `@toolgen/runtime/agents`.
 *
 * @module
 */

export type { Agent, ToolFactory } from './agents/agent.js'
export type { AgentBuilder, Feature } from './agents/agent-builder.js'
export type { RunOptions } from './agents/bound-agent.js'
export { answer, ask, callTools } from './agents/decision.js'
export {
  type EventStreamOptions,
  eventStreamResponse,
  type PublishedEvent,
  publishedEvent,
} from './agents/event-stream.js'
export {
  useBudget,
  useContext,
  useEvents,
  useGuardrails,
  useGuards,
  useHook,
  useMessageCompiler,
  useModel,
  usePlanner,
  useToolFactory,
  useTools,
  wrapMessageCompiler,
} from './agents/features.js'
export type { Guards } from './agents/guards.js'
export { hookPriority } from './agents/installed-hook.js'
export { agentLoop } from './agents/loop.js'
export { compiledRequest } from './agents/message-compiler.js'
export type { ModelPlannerOptions } from './agents/model-planner.js'
export { modelPlanner } from './agents/model-planner.js'
export { ModelResponseError } from './agents/model-response-error.js'
export { claimsInMemory } from './agents/resume.js'
export type { RunHandle } from './agents/run-handle.js'
export { base, STANDARD_GUARDS, standard, useStandard } from './agents/standard-agent.js'
export { SuspensionError } from './agents/suspension-error.js'
export { signSuspensions } from './agents/suspension-signature.js'
export { type Budget, type BudgetOptions, budget } from './call/budget.js'
export { encryptSensitive } from './call/sensitive-cipher.js'
export type {
  Guardrail,
  GuardrailResult,
  Guardrails,
  InputContext,
  InputGuardrail,
  OutputContext,
  OutputGuardrail,
  RewritingResult,
  ToolCallContext,
  ToolCallGuardrail,
  ToolGuardrailResult,
  ToolResultContext,
  ToolResultGuardrail,
} from './types/guardrail.js'
export type { Hook, HookContext, HookPhase } from './types/hook.js'
export type { RunLayer, StepLayer } from './types/layer.js'
export type {
  Answers,
  ApprovedArguments,
  CallSuspension,
  GuardrailReport,
  GuardrailSignal,
  PendingAnswer,
  PendingCall,
  ResumeClaims,
  RunSuspension,
  StoredOutcome,
  SuspendedProgram,
  SuspensionSigner,
} from './types/outcome.js'
export type {
  Decision,
  MessageCompiler,
  ModelCall,
  ModelDelta,
  ModelDriver,
  ModelLayer,
  ModelRequest,
  ModelResponse,
  Planner,
  PlanRequest,
  ResponseFormat,
  RunMeta,
} from './types/planner.js'
export type { AgentDescriptor } from './types/registration.js'
export type {
  AgentRun,
  RunInput,
  RunPart,
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
export type {
  BudgetAmounts,
  BudgetStore,
  ModelPrice,
  ModelPrices,
  ModelUsage,
  TokenUsage,
} from './types/token-usage.js'
