export type { RuntimeMetricsOptions } from './adapters/metrics.js'
export { RuntimeMetrics } from './adapters/metrics.js'
/**
 * What applications import; generated code imports `@toolgen/runtime/codegen/v1`.
 *
 * @module
 */
export type { Agent, AgentBuilder, AgentContext, FactoryContext, Feature, ToolFactory } from './agents/agent-builder.js'
export { compiledRequest } from './agents/agent-builder.js'
export type { BoundAgent, RunOptions } from './agents/bound-agent.js'
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
export type { HookInfo, HookOptions, HookPriority } from './agents/hooks.js'
export { hookPriority } from './agents/hooks.js'
export { agentLoop, type LoopOptions, type LoopRequest } from './agents/loop.js'
export type { ModelResponseErrorCode, ModelResponseErrorDetails } from './agents/model-answer-error.js'
export { isModelResponseError, ModelResponseError } from './agents/model-answer-error.js'
export type { ModelPlannerOptions } from './agents/model-planner.js'
export { modelPlanner } from './agents/model-planner.js'
export type { RunHandle } from './agents/run-handle.js'
export type { AgentOptions, CloseOptions, RuntimeOptions } from './agents/runtime.js'
export { Runtime } from './agents/runtime.js'
export type { SignSuspensionsOptions } from './agents/sign-suspensions.js'
export { signSuspensions } from './agents/sign-suspensions.js'
export type { ClaimsInMemoryOptions } from './agents/suspension.js'
export { claimsInMemory } from './agents/suspension.js'
export type { SuspensionErrorCode } from './agents/suspension-schema.js'
export { isSuspensionError, SuspensionError } from './agents/suspension-schema.js'
export type { BindingErrorCode, BindingErrorDetails } from './call/binding-error.js'
export { BindingError, isBindingError } from './call/binding-error.js'
export type { BoundToolset, InNamespaces } from './call/bound-tools.js'
export type { Classify, PlainReason } from './call/classify.js'
export type { RunConfig } from './call/layer-scope.js'
export { runConfig } from './call/layer-scope.js'
export { InvalidArgumentsError, isInvalidArgumentsError } from './call/new-tool-call.js'
export type { Provenanced } from './call/provenance.js'
export { encodeProvenanced, provenanced } from './call/provenance.js'
export { renderForModel } from './call/render.js'
export { sinkExecutor } from './call/streams.js'
export type { ToolFailureOptions } from './call/tool-failure.js'
export { isToolFailure, ToolFailure } from './call/tool-failure.js'
export { type HistoryOptions, validateHistory } from './chat/history.js'
export type { CallIssueCode, ChatMessageIssue, MessageIssueCode } from './chat/messages.js'
export { ChatMessageError, type ChatMessageErrorCode, isChatMessageError } from './chat/messages.js'
export type { ChatStreamIssue, StreamedReply } from './chat/replies.js'
export { accumulateChunks, ReplyAccumulator } from './chat/replies.js'
export { chatMessages, runItems } from './chat/run-items.js'
export type { MessageShapeIssueCode } from './chat/shape-rule.js'
export type { PayloadCodecOptions } from './codec/codecs.js'
export { CodecError, isCodecError, payloadCodec, resultCodec } from './codec/codecs.js'
export type { Tool, ToolDefinition } from './executors/function-tools.js'
export { tool, toolset } from './executors/function-tools.js'
export type { McpCallFacts, McpCallFault } from './executors/mcp-call-error.js'
export { isMcpCallError, McpCallError } from './executors/mcp-call-error.js'
export { mcpDrift } from './executors/mcp-drift.js'
export { mcpExecutor } from './executors/mcp-executor.js'
export type { Mapper, StreamMappers, ToolMappers, WrappingMapper } from './executors/service-executor.js'
export type { ApprovalOptions } from './layers/approval.js'
export { approval } from './layers/approval.js'
export type { InputSchemaMode, TraceSpan } from './layers/built-in.js'
export { inputSchema, recommended, stack, timeout, tracing, transformOutput } from './layers/built-in.js'
export { toolsetRegistration } from './layers/registration.js'
export type { RetryOptions } from './layers/retry.js'
export { retry } from './layers/retry.js'
export { isSchemaError, SchemaError } from './schema/keywords.js'
export type { ConsumeOptions, Session } from './sessions/session.js'
export type { SessionErrorCode } from './sessions/session-error.js'
export { isSessionError, SessionError } from './sessions/session-error.js'
export type {
  CloseSessionOptions,
  OpenOptions,
  SessionRegistryOptions,
  SessionUser,
} from './sessions/session-registry.js'
export { SessionRegistry } from './sessions/session-registry.js'
export type {
  NamedAgents,
  NamespaceOf,
  SessionCallOptions,
  SessionRunOptions,
} from './sessions/session-types.js'
export { memoryStore } from './sessions/stores.js'
export type {
  AgentDescriptor,
  AgentToolOptions,
  AgentToolsetOptions,
  ExportedTool,
  ToolsetExport,
} from './types/agent.js'
export type {
  NeedsOf,
  Received,
  ResultOf,
  Service,
  ToolCall,
  ToolCallOptions,
  ToolCallRef,
  ToolDescriptor,
  ToolsetDescriptor,
  Unfilled,
} from './types/call.js'
export type {
  ApprovalDecision,
  ApprovalRequest,
  CallOptions,
  Effects,
  EnvOption,
  HasApproval,
  HasClock,
  HasLogger,
  HasMetrics,
  IdKind,
  NeededOptions,
  OptionsFor,
  OptionsRequired,
} from './types/call-options.js'
export type {
  ChatAnnotation,
  ChatAssistantMessage,
  ChatAudioPart,
  ChatCacheBreakpoint,
  ChatChunk,
  ChatChunkChoice,
  ChatContentPart,
  ChatCustomToolCall,
  ChatDelta,
  ChatDeveloperMessage,
  ChatFields,
  ChatFilePart,
  ChatFunctionCall,
  ChatFunctionMessage,
  ChatFunctionToolCall,
  ChatImagePart,
  ChatMessage,
  ChatRefusalPart,
  ChatReply,
  ChatRequest,
  ChatSystemMessage,
  ChatTextPart,
  ChatToolCall,
  ChatToolCallPart,
  ChatToolMessage,
  ChatUsage,
  ChatUserMessage,
  HandoffItem,
  MessageItem,
  RunItem,
  ToolOutputItem,
} from './types/chat.js'
export type { Codec, Decoded, Encoded } from './types/codec.js'
export type {
  ActionFor,
  FailureFacts,
  FailureReason,
  FinalSignal,
  LimitReason,
  MissingField,
  NonEmpty,
  RetryHint,
  StopReason,
  StopSignal,
} from './types/errors.js'
export type { ExecutorRequest, ProvenanceDetail, ToolExecutor, UpdateSink } from './types/executor.js'
export type {
  AfterModelContext,
  AfterRunContext,
  AfterStepContext,
  AfterToolContext,
  BeforeModelContext,
  BeforeToolContext,
  Hook,
  HookChanges,
  HookContext,
  HookPhase,
  HookPhases,
  OnErrorContext,
} from './types/hook.js'
export type { Constraint, Issue, JsonKind } from './types/issue.js'
export type {
  JsonObject,
  JsonSchema,
  JsonSchemaObject,
  JsonText,
  JsonValue,
  StandardCheck,
  StandardIssue,
  StandardResult,
} from './types/json.js'
export type { Layer, RunLayer, StepLayer, ToolLayer, ToolRequest, ToolService } from './types/layer.js'
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
} from './types/mcp.js'
export type {
  CallMetrics,
  Distribution,
  FailureCounts,
  LatencySummary,
  MetricsSnapshot,
  OperationMetrics,
  SessionMetrics,
} from './types/metrics.js'
export type {
  Acknowledgement,
  Answers,
  CallSuspension,
  CallSuspensionKind,
  ClarificationField,
  PendingAnswer,
  PendingCall,
  Provenance,
  ProvenancedResult,
  ResumeClaims,
  RunProgress,
  RunSuspension,
  StepSuspension,
  StoredOutcome,
  SuspendedCall,
  SuspensionSigner,
  ToolError,
  ToolOutcome,
} from './types/outcome.js'
export type {
  CompilerWrap,
  Decision,
  MessageCompiler,
  MessageCompilerInput,
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
export type {
  AdapterContext,
  EnvOfAll,
  HintTemplates,
  JsonAdapter,
  LayeredTool,
  RegistrationOptions,
  ToolsetRegistration,
  ToolsetUse,
} from './types/registration.js'
export type {
  AgentRun,
  EventBody,
  EventOrigin,
  EventSink,
  RunEvent,
  RunInput,
  RunPolicy,
  RunRequest,
  RunResult,
  RunState,
  RunStatus,
  RunUsage,
  StepRequest,
  StepResult,
  StepUsage,
  StopCondition,
  TelemetryBuilder,
  TelemetryInput,
  ToolTelemetry,
  TracedCall,
  TracedOutcome,
  Tracer,
} from './types/run.js'
export type {
  CompletedCall,
  ObservableSessions,
  SaveSessionOptions,
  SessionCall,
  SessionClaim,
  SessionCompletion,
  SessionEntry,
  SessionEvent,
  SessionEventSink,
  SessionStore,
  SessionUpdate,
  SessionUsage,
  StoredCall,
  StoredSession,
} from './types/session.js'
export type {
  AgentToolSpec,
  ConfirmationSpec,
  DefaultLayers,
  MetaField,
  Provider,
  QualifiedToolId,
  ServerOwnedField,
  ToolAnnotations,
  ToolCallMeta,
  ToolId,
  ToolSpec,
} from './types/tool.js'
