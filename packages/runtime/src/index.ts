/** What applications import; generated code imports `@toolgen/runtime/codegen/v1`. */
export { CodecError, isCodecError } from './codec/codec-error.js'
export { isSchemaError, SchemaError } from './codec/evaluate/schema-error.js'
export type { PayloadCodecOptions } from './codec/payload-codec.js'
export { payloadCodec } from './codec/payload-codec.js'
export { resultCodec } from './codec/result-codec.js'
export { schemaIssues } from './codec/schema-issues.js'
export { validExample } from './codec/valid-example.js'
export type { AgentDescriptor } from './contract/agent.js'
export type { NeedsOf, ResultOf, ToolCall, ToolCallOptions, ToolCallRef } from './contract/call.js'
export type { CallOptions, NeededOptions, OptionsFor } from './contract/call-options.js'
export type { Codec, Decoded, Encoded } from './contract/codec.js'
export type { Received, ToolDescriptor, ToolsetDescriptor, Unfilled } from './contract/descriptor.js'
export type { Effects, IdKind } from './contract/effects.js'
export type { ExecutorRequest, ProvenanceDetail, ToolExecutor } from './contract/executor.js'
export type { FailureFacts } from './contract/failure.js'
export type { Constraint, Issue, JsonKind } from './contract/issue.js'
export type { JsonObject, JsonSchema, JsonSchemaObject, JsonText, JsonValue } from './contract/json.js'
export type { MetaField, ToolCallMeta } from './contract/meta.js'
export type { Provenance, ProvenancedResult, ToolError, ToolOutcome } from './contract/outcome.js'
export type {
  AdapterContext,
  JsonAdapter,
  RegistrationOptions,
  ToolsetRegistration,
  ToolsetUse,
} from './contract/registration.js'
export type { ActionFor, FailureReason, MissingField, NonEmpty, RetryHint } from './contract/retry-hint.js'
export type { RunPolicy } from './contract/run-policy.js'
export type {
  AgentToolSpec,
  ConfirmationSpec,
  ServerOwnedField,
  ToolAnnotations,
  ToolSpec,
} from './contract/spec.js'
export type { StandardCheck, StandardIssue, StandardResult } from './contract/standard-schema.js'
export type { Provider, QualifiedToolId, ToolId } from './contract/tool-id.js'
export type { BindingFault, BindingFaultKind } from './execute/binding/binding-error.js'
export { BindingError, isBindingError } from './execute/binding/binding-error.js'
export type { BoundAgent } from './execute/bound-agent.js'
export type { BoundToolset } from './execute/bound-toolset.js'
export { InvalidArgumentsError, isInvalidArgumentsError } from './execute/call/invalid-arguments-error.js'
export type { Classify, PlainReason } from './execute/failure/classify.js'
export type { ToolFailureOptions } from './execute/failure/tool-failure.js'
export { isToolFailure, ToolFailure } from './execute/failure/tool-failure.js'
export { renderForModel } from './execute/render/render-for-model.js'
export { encodeProvenanced } from './execute/result/encode-provenanced.js'
export type { Provenanced } from './execute/result/provenanced.js'
export { provenanced } from './execute/result/provenanced.js'
export type { RuntimeOptions } from './execute/runtime.js'
export { Runtime } from './execute/runtime.js'
export type { PayloadMap, PayloadWrap, ResultMap, ResultWrap, ToolMappers } from './execute/service/mappers.js'
