/**
 * What generated code imports, and nothing else. The version stands in the path, so that code that was generated once
 * keeps working.
 *
 * @module
 */

export type { Agent } from '../agents/agent.js'
export type { AgentBuilder } from '../agents/agent-builder.js'
export type { AgentOptions, BoundAgent } from '../agents/bound-agent.js'
export type { Runtime } from '../agents/runtime.js'
export { registerAgent } from '../agents/runtime.js'
export { designedAgent, standardAgent } from '../agents/standard-agent.js'
export type { Requirement, Requirements, ServiceBinding, ToolsetBinding } from '../call/binding.js'
export { bindToolset } from '../call/binding.js'
export { offeredSpecs, usedSpecs } from '../call/bound-tools.js'
export type { InNamespaces } from '../call/bound-toolset.js'
export { newToolCall, specsOf, toolDescriptors, toolSpec, toolsOf } from '../call/descriptors.js'
export { payloadCodec, resultCodec } from '../codec/codecs.js'
export * as is from '../codec/generated-is.js'
export * as serialize from '../codec/generated-serialize.js'
export * as strip from '../codec/generated-strip.js'
export type { AgentBinding } from '../executors/agent-toolset.js'
export { agentToolsetRegistration, bindAgentToolset } from '../executors/agent-toolset.js'
export * as convert from '../executors/conversions.js'
export { bindExecutor, type ExecutorBinding } from '../executors/executor-binding.js'
export type { McpBinding } from '../executors/mcp-binding.js'
export { bindMcpToolset, mcpTools } from '../executors/mcp-binding.js'
export { mcpExecutor } from '../executors/mcp-executor.js'
export type { ClientOf, MethodArgs, MethodItem, MethodResult } from '../executors/method-types.js'
export type { Mapper, ToolMappers, WrappingMapper } from '../executors/service-executor.js'
export { serviceExecutor, serviceTool } from '../executors/service-executor.js'
export type { StreamMappers } from '../executors/service-stream.js'
export { serviceStream } from '../executors/service-stream.js'
export { toolsetRegistration } from '../layers/registration.js'
export type { CallOptions, HasApproval, OptionsFor } from '../types/call-options.js'
export type { Codec, Decoded } from '../types/codec.js'
export type { MetaSource, ToolExecutor } from '../types/executor.js'
export type { JsonObject, JsonSchema, JsonText, JsonValue, StandardCheck } from '../types/json.js'
export type {
  McpCaller,
  McpCallerSource,
  McpExecutor,
  McpExecutorOptions,
  McpServedTool,
  ToolsetImport,
} from '../types/mcp.js'
export type { ToolOutcome } from '../types/outcome.js'
export type { ModelDriver } from '../types/planner.js'
export type {
  AgentDescriptor,
  AgentToolsetOptions,
  ExportedTool,
  JsonAdapter,
  RegistrationOptions,
  ToolsetExport,
  ToolsetRegistration,
  ToolsetUse,
} from '../types/registration.js'
export type { RunPolicy } from '../types/run.js'
export type {
  AgentToolSpec,
  MetaField,
  Received,
  ServerOwnedField,
  ToolAnnotations,
  ToolCall,
  ToolCallMeta,
  ToolCallOptions,
  ToolDescriptor,
  ToolSpec,
  ToolsetDescriptor,
  Unfilled,
} from '../types/tool.js'
