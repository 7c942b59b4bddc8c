/**
 * Main entry for applications: tools, tool calls, outcomes and layers.
 *
 * @module
 */

export type { BoundAgent } from './agents/bound-agent.js'
export type { RuntimeOptions } from './agents/runtime.js'
export { Runtime } from './agents/runtime.js'
export type { BindingErrorDetails } from './call/binding-error.js'
export { BindingError } from './call/binding-error.js'
export type { BoundToolset } from './call/bound-toolset.js'
export type { Classify } from './call/classify.js'
export type { DeclaredFailure } from './call/declared-failure.js'
export { InvalidArgumentsError } from './call/descriptors.js'
export type { KeptResultsOptions } from './call/kept-results.js'
export type { Provenanced } from './call/provenance.js'
export { encodeProvenanced, provenanced, withContent } from './call/provenance.js'
export type { SensitiveCipher } from './call/redactions.js'
export { renderForModel } from './call/render.js'
export type { RunConfig } from './call/run-config.js'
export { runConfig } from './call/run-config.js'
export { sinkExecutor } from './call/sink-executor.js'
export type { ToolFailureOptions } from './call/tool-failure.js'
export { ToolFailure } from './call/tool-failure.js'
export { mcpDrift } from './executors/drift.js'
export type { Tool, ToolDefinition } from './executors/function-tools.js'
export { tool, toolset } from './executors/function-tools.js'
export { mcpExecutor } from './executors/mcp-executor.js'
export { isToolgenError, type ToolgenErrors } from './is-toolgen-error.js'
export { approval } from './layers/approval.js'
export { inputSchema, recommended, stack, timeout, tracing, transformOutput } from './layers/built-in.js'
export { type DataFlowCall, type DataFlowOptions, dataFlow } from './layers/data-flow.js'
export { toolsetRegistration } from './layers/registration.js'
export { retry } from './layers/retry.js'
export type { Approval, ApprovalRecord, ApprovalRule, Denial } from './types/approval.js'
export type {
  ApprovalDecision,
  ApprovalRequest,
  CallOptions,
  Effects,
  HasApproval,
  HasClock,
  HasLogger,
  HasMetrics,
} from './types/call-options.js'
export type { Issue } from './types/codec.js'
export type { ContentPart, MediaOptions } from './types/content.js'
export type { ExecutorRequest, ProvenanceDetail, ToolExecutor, UpdateSink } from './types/executor.js'
export type { FailureReason, FailureSpec, RetryHint, ToolError, TypedFailure } from './types/failure.js'
export type { JsonObject, JsonSchema, JsonText, JsonValue } from './types/json.js'
export type { Layer, ToolLayer, ToolRequest, ToolService } from './types/layer.js'
export type {
  CutPart,
  DataFlow,
  DataSource,
  Provenance,
  ProvenancedResult,
  ResultCut,
  StopReason,
  StopSignal,
  ToolOutcome,
} from './types/outcome.js'
export type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from './types/registration.js'
export type { EventSink, RunEvent, TelemetryBuilder, ToolTelemetry, Tracer } from './types/run.js'
export type {
  AgentToolSpec,
  Audience,
  MaxResult,
  MetaField,
  PagingArguments,
  Provider,
  ReadLabel,
  ResultOf,
  SensitiveFields,
  Service,
  ToolAnnotations,
  ToolCall,
  ToolCallMeta,
  ToolCallRef,
  ToolDescriptor,
  ToolSpec,
  ToolsetDescriptor,
  WriteLabel,
} from './types/tool.js'
