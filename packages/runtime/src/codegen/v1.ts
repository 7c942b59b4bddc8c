/**
 * What generated code imports, and nothing else. The version stands in the path, so that code that was generated once
 * keeps working.
 *
 * @module
 */

export type { Agent } from '../agent/builder/agent.js'
export type { AgentBuilder } from '../agent/builder/agent-builder.js'
export { designedAgent, standardAgent } from '../agent/builder/standard.js'
export { agentToolsetRegistration } from '../agent/nested/agent-toolset.js'
export type { AgentBinding } from '../agent/nested/bind-agent-toolset.js'
export { bindAgentToolset } from '../agent/nested/bind-agent-toolset.js'
export { payloadCodec } from '../codec/payload-codec.js'
export { resultCodec } from '../codec/result-codec.js'
export * as is from '../codec/words/checks.js'
export * as pick from '../codec/words/pickers.js'
export * as json from '../codec/words/writers.js'
export type { AgentDescriptor } from '../contract/agent.js'
export type { AgentToolsetOptions, ExportedTool, ToolsetExport } from '../contract/agent-toolset.js'
export type { ToolCall, ToolCallOptions } from '../contract/call.js'
export type { CallOptions, OptionsFor } from '../contract/call-options.js'
export type { HasApproval } from '../contract/capability.js'
export type { Codec, Decoded } from '../contract/codec.js'
export type { Received, ToolDescriptor, ToolsetDescriptor, Unfilled } from '../contract/descriptor.js'
export type { ToolExecutor } from '../contract/executor.js'
export type { JsonObject, JsonSchema, JsonText, JsonValue } from '../contract/json.js'
export type {
  McpCaller,
  McpCallerSource,
  McpExecutor,
  McpExecutorOptions,
  McpServedTool,
  ToolsetImport,
} from '../contract/mcp.js'
export type { MetaField, ToolCallMeta } from '../contract/meta.js'
export type { ModelDriver } from '../contract/model-driver.js'
export type { ToolOutcome } from '../contract/outcome.js'
export type { JsonAdapter, RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../contract/registration.js'
export type { RunPolicy } from '../contract/run-policy.js'
export type { AgentToolSpec, ServerOwnedField, ToolAnnotations, ToolSpec } from '../contract/spec.js'
export type { StandardCheck } from '../contract/standard-schema.js'
export { specsOf, toolDescriptors, toolsOf } from '../describe/tool-descriptors.js'
export { toolSpec } from '../describe/tool-spec.js'
export { offeredSpecs, usedSpecs } from '../execute/binding/agent-spec.js'
export type { ToolsetBinding } from '../execute/binding/bind-toolset.js'
export { bindToolset } from '../execute/binding/bind-toolset.js'
export type { Requirement, Requirements, ServiceBinding } from '../execute/binding/service-binding.js'
export type { BoundAgent } from '../execute/bound-agent.js'
export type { InNamespaces } from '../execute/bound-tools.js'
export { newToolCall } from '../execute/call/new-tool-call.js'
export type { McpBinding } from '../execute/mcp/bind-mcp-toolset.js'
export { bindMcpToolset } from '../execute/mcp/bind-mcp-toolset.js'
export { mcpExecutor } from '../execute/mcp/mcp-executor.js'
export { mcpTools } from '../execute/mcp/mcp-tools.js'
export { registerAgent } from '../execute/register-agent.js'
export type { AgentParts, Runtime } from '../execute/runtime.js'
export { base64ToBytes, bytesToBase64 } from '../execute/service/bytes.js'
export { arrayToSet, isArray, mapRecord, mapToRecord, recordToMap, setToArray } from '../execute/service/collections.js'
export { dateTimeToDate, dateToDateTime, dateToUtcMidnight } from '../execute/service/dates.js'
export { bigintToInteger, bigintToString, integerToBigint } from '../execute/service/integers.js'
export type {
  PayloadMap,
  PayloadWrap,
  ResultMap,
  ResultWrap,
  StreamMappers,
  ToolMappers,
  UpdateMap,
  UpdateWrap,
} from '../execute/service/mappers.js'
export type {
  Args,
  ClientOf,
  FromLast,
  Overloads8,
  Result,
  Signature,
  StreamItem,
} from '../execute/service/method-types.js'
export { serviceExecutor } from '../execute/service/service-executor.js'
export type { ServiceStreamSteps } from '../execute/service/service-stream.js'
export { serviceStream } from '../execute/service/service-stream.js'
export type { ServiceTool, ServiceToolSteps } from '../execute/service/service-tool.js'
export { serviceTool } from '../execute/service/service-tool.js'
export { stringToUrl, urlToString } from '../execute/service/urls.js'
export type { MetaSource } from '../execute/tool/payload-door.js'
export { toolsetRegistration } from '../layer/registration.js'
