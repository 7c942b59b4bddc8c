/**
 * What applications import; generated code imports `@toolgen/runtime/codegen/v1`.
 *
 * @module
 */
export type { Agent } from './agent/builder/agent.js'
export type { AgentBuilder, Feature } from './agent/builder/agent-builder.js'
export type { AgentContext, FactoryContext, ToolFactory } from './agent/builder/builder-parts.js'
export { compiledRequest } from './agent/builder/compiled-request.js'
export {
  useContext,
  useEvents,
  useGuards,
  useHook,
  useMessageCompiler,
  useModel,
  usePlanner,
  useToolFactory,
  useTools,
  wrapMessageCompiler,
} from './agent/builder/features.js'
export type { Guards } from './agent/builder/guards.js'
export { base, STANDARD_GUARDS, standard, useStandard } from './agent/builder/standard.js'
export { answer, ask, callTools } from './agent/decision.js'
export { agentLoop, type LoopOptions, type LoopRequest } from './agent/loop.js'
export type { ModelAnswerFacts, ModelAnswerFault } from './agent/model-answer-error.js'
export { isModelAnswerError, ModelAnswerError } from './agent/model-answer-error.js'
export type { ModelPlannerOptions } from './agent/model-planner.js'
export { modelPlanner } from './agent/model-planner.js'
export type { RunHandle } from './agent/run-handle.js'
export type { ClaimsInMemoryOptions } from './agent/suspension/claims-in-memory.js'
export { claimsInMemory } from './agent/suspension/claims-in-memory.js'
export type { SignSuspensionsOptions } from './agent/suspension/sign-suspensions.js'
export { signSuspensions } from './agent/suspension/sign-suspensions.js'
export type { SuspensionFault } from './agent/suspension/suspension-error.js'
export { isSuspensionError, SuspensionError } from './agent/suspension/suspension-error.js'
export { ChatMessageError, type ChatMessageFault, isChatMessageError } from './chat/chat-message-error.js'
export type { CallViolationKind, ChatViolation, MessageViolationKind } from './chat/chat-violation.js'
export { accumulateChunks, ReplyAccumulator } from './chat/reply-accumulator.js'
export { chatMessages, runItems } from './chat/run-items.js'
export type { ShapeFaultKind } from './chat/shape-rule.js'
export type { StreamedReply, StreamFault } from './chat/streamed-reply.js'
export { type HistoryOptions, validateHistory } from './chat/validate-history.js'
export { CodecError, isCodecError } from './codec/codec-error.js'
export { isSchemaError, SchemaError } from './codec/evaluate/schema-error.js'
export type { PayloadCodecOptions } from './codec/payload-codec.js'
export { payloadCodec } from './codec/payload-codec.js'
export { resultCodec } from './codec/result-codec.js'
export { schemaIssues } from './codec/schema-issues.js'
export { validExample } from './codec/valid-example.js'
export type { AgentDescriptor } from './contract/agent.js'
export type { AgentRun, RunInput, RunRequest, RunStatus, RunUsage } from './contract/agent-run.js'
export type { AgentToolOptions, AgentToolsetOptions, ExportedTool, ToolsetExport } from './contract/agent-toolset.js'
export type { NeedsOf, ResultOf, ToolCall, ToolCallOptions, ToolCallRef } from './contract/call.js'
export type { CallOptions, NeededOptions, OptionsFor, OptionsRequired } from './contract/call-options.js'
export type {
  ApprovalDecision,
  ApprovalRequest,
  EnvOption,
  HasApproval,
  HasClock,
  HasLogger,
  HasMetrics,
} from './contract/capability.js'
export type { ChatChunk, ChatChunkChoice, ChatDelta, ChatToolCallPart, ChatUsage } from './contract/chat-chunk.js'
export type {
  ChatAnnotation,
  ChatAssistantMessage,
  ChatAudioPart,
  ChatCacheBreakpoint,
  ChatContentPart,
  ChatCustomToolCall,
  ChatDeveloperMessage,
  ChatFilePart,
  ChatFunctionCall,
  ChatFunctionMessage,
  ChatFunctionToolCall,
  ChatImagePart,
  ChatMessage,
  ChatRefusalPart,
  ChatReply,
  ChatSystemMessage,
  ChatTextPart,
  ChatToolCall,
  ChatToolMessage,
  ChatUserMessage,
} from './contract/chat-message.js'
export type { ChatFields, ChatRequest } from './contract/chat-request.js'
export type { Codec, Decoded, Encoded } from './contract/codec.js'
export type { Received, ToolDescriptor, ToolsetDescriptor, Unfilled } from './contract/descriptor.js'
export type { Effects, IdKind } from './contract/effects.js'
export type { EventBody, EventOrigin, EventSink, RunEvent } from './contract/event.js'
export type { ExecutorRequest, ProvenanceDetail, ToolExecutor, UpdateSink } from './contract/executor.js'
export type { FailureFacts } from './contract/failure.js'
export type {
  AskedModel,
  AskedTool,
  EndedRun,
  EndedStep,
  EndedTool,
  FailedRun,
  HeardModel,
  Hook,
  HookChanges,
  HookContext,
  HookPhase,
  HookPhases,
} from './contract/hook.js'
export type { Constraint, Issue, JsonKind } from './contract/issue.js'
export type { JsonObject, JsonSchema, JsonSchemaObject, JsonText, JsonValue } from './contract/json.js'
export type { Layer, RunLayer, StepLayer, ToolLayer, ToolService } from './contract/layer.js'
export type {
  McpCaller,
  McpCallerSource,
  McpCallOptions,
  McpContent,
  McpDrift,
  McpDriftKind,
  McpDriftReport,
  McpExecutor,
  McpExecutorOptions,
  McpProgress,
  McpServedTool,
  McpServerInfo,
  McpToolCall,
  McpToolInfo,
  McpToolResult,
  ToolsetImport,
} from './contract/mcp.js'
export type { CompilerParts, CompilerWrap, MessageCompiler } from './contract/message-compiler.js'
export type { MetaField, ToolCallMeta } from './contract/meta.js'
export type {
  CallFigures,
  FailureCounts,
  LatencyFigures,
  MetricsSnapshot,
  SessionFigures,
  SpreadFigures,
  TimedFigures,
} from './contract/metrics.js'
export type { AnswerForm, ModelAnswer, ModelCall, ModelDriver, ModelRequest } from './contract/model-driver.js'
export type { Provenance, ProvenancedResult, ToolError, ToolOutcome } from './contract/outcome.js'
export type { Decision, Planner, PlanRequest, RunMeta, TokenUsage } from './contract/planner.js'
export type {
  AdapterContext,
  EnvOfAll,
  HintTemplates,
  JsonAdapter,
  LayeredTool,
  RegistrationOptions,
  ToolsetRegistration,
  ToolsetUse,
} from './contract/registration.js'
export type {
  Answers,
  PendingAnswer,
  ResumeClaims,
  SuspensionSigner,
} from './contract/resume.js'
export type { ActionFor, FailureReason, MissingField, NonEmpty, RetryHint } from './contract/retry-hint.js'
export type { HandoffItem, MessageItem, RunItem, ToolOutputItem } from './contract/run-item.js'
export type { RunPolicy } from './contract/run-policy.js'
export type { Service } from './contract/service.js'
export type {
  Acknowledgement,
  CompletedCall,
  SaveSessionOptions,
  SessionCall,
  SessionClaim,
  SessionCompletion,
  SessionEntry,
  SessionStore,
  SessionUpdate,
  StoredCall,
  StoredSession,
} from './contract/session.js'
export type { SessionEvent, SessionEventSink, SessionFailure } from './contract/session-event.js'
export type { ObservableSessions, SessionUsage } from './contract/session-usage.js'
export type {
  AgentToolSpec,
  ConfirmationSpec,
  DefaultLayers,
  ServerOwnedField,
  ToolAnnotations,
  ToolSpec,
} from './contract/spec.js'
export type { StandardCheck, StandardIssue, StandardResult } from './contract/standard-schema.js'
export type { RunResult, StepAccount, StepRequest, StepResult } from './contract/step.js'
export type { LoopState, StopCondition } from './contract/stop-condition.js'
export type { FinalSignal, LimitReason, StopReason, StopSignal } from './contract/stop-signal.js'
export type {
  CallSuspension,
  CallSuspensionKind,
  ClarificationField,
  PendingCall,
  RunProgress,
  RunSuspension,
  StepSuspension,
  StoredOutcome,
  SuspendedCall,
} from './contract/suspension.js'
export type {
  EndedCall,
  TelemetryBuilder,
  TelemetryFacts,
  ToolTelemetry,
  TracedCall,
  Tracer,
} from './contract/telemetry.js'
export type { Provider, QualifiedToolId, ToolId } from './contract/tool-id.js'
export type { ToolRequest } from './contract/tool-request.js'
export type { BindingFault, BindingFaultKind } from './execute/binding/binding-error.js'
export { BindingError, isBindingError } from './execute/binding/binding-error.js'
export type { BoundAgent, RunOptions } from './execute/bound-agent.js'
export type { InNamespaces } from './execute/bound-tools.js'
export type { BoundToolset } from './execute/bound-toolset.js'
export { InvalidArgumentsError, isInvalidArgumentsError } from './execute/call/invalid-arguments-error.js'
export type { Classify, PlainReason } from './execute/failure/classify.js'
export type { ToolFailureOptions } from './execute/failure/tool-failure.js'
export { isToolFailure, ToolFailure } from './execute/failure/tool-failure.js'
export { mcpDrift } from './execute/mcp/drift.js'
export type { McpCallFacts, McpCallFault } from './execute/mcp/mcp-call-error.js'
export { isMcpCallError, McpCallError } from './execute/mcp/mcp-call-error.js'
export { mcpExecutor } from './execute/mcp/mcp-executor.js'
export { renderForModel } from './execute/render/render-for-model.js'
export { encodeProvenanced } from './execute/result/encode-provenanced.js'
export type { Provenanced } from './execute/result/provenanced.js'
export { provenanced } from './execute/result/provenanced.js'
export type { AgentParts, CloseOptions, RuntimeOptions } from './execute/runtime.js'
export { Runtime } from './execute/runtime.js'
export type {
  PayloadMap,
  PayloadWrap,
  ResultMap,
  ResultWrap,
  StreamMappers,
  ToolMappers,
  UpdateMap,
  UpdateWrap,
} from './execute/service/mappers.js'
export { sinkExecutor } from './execute/stream/sink-executor.js'
export type { HookBand } from './hook/bands.js'
export { hookBand } from './hook/bands.js'
export type { HookInfo, HookOptions } from './hook/installed-hook.js'
export type { ApprovalOptions } from './layer/approval.js'
export { approval } from './layer/approval.js'
export type { InputSchemaMode } from './layer/input-schema.js'
export { inputSchema } from './layer/input-schema.js'
export { recommended } from './layer/recommended.js'
export { toolsetRegistration } from './layer/registration.js'
export type { RetryOptions } from './layer/retry.js'
export { retry } from './layer/retry.js'
export type { RunConfig } from './layer/run-config.js'
export { runConfig } from './layer/run-config.js'
export { stack } from './layer/stack.js'
export { timeout } from './layer/timeout.js'
export type { TraceSpan } from './layer/tracing.js'
export { tracing } from './layer/tracing.js'
export { transformOutput } from './layer/transform-output.js'
export type { RuntimeMetricsOptions } from './metrics/runtime-metrics.js'
export { RuntimeMetrics } from './metrics/runtime-metrics.js'
export type { CloseSessionOptions } from './session/close-session.js'
export { memoryStore } from './session/memory-store.js'
export type { Session, TakeOptions } from './session/session.js'
export type { SessionFault } from './session/session-error.js'
export { isSessionError, SessionError } from './session/session-error.js'
export type { OpenOptions, SessionRegistryOptions, SessionUser } from './session/session-registry.js'
export { SessionRegistry } from './session/session-registry.js'
export type { NamedAgents, NamespaceOf, SessionCallOptions, SessionRunOptions } from './session/session-types.js'
export type { Tool, ToolDefinition } from './tool/tool.js'
export { tool } from './tool/tool.js'
export { toolset } from './tool/toolset.js'
