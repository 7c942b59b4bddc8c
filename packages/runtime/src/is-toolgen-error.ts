import type { ModelResponseError } from './agents/model-response-error.js'
import type { SuspensionError } from './agents/suspension-error.js'
import type { BindingError } from './call/binding-error.js'
import type { InvalidArgumentsError } from './call/descriptors.js'
import type { ToolFailure } from './call/tool-failure.js'
import type { ChatMessageError } from './chat/chat-message-error.js'
import type { CodecError } from './codec/codecs.js'
import type { DurableError } from './durable/engine.js'
import type { OpenApiCallError } from './executors/openapi-api.js'
import type { ApiError } from './executors/openapi-client.js'
import type { McpCallError } from './mcp/mcp-call-error.js'
import type { SchemaError } from './schema/keywords.js'
import type { DirectoryInUseError, SessionError } from './sessions/stores.js'
import type { CassetteError } from './testing/cassette-error.js'

/** Error classes of the runtime, by class name. */
export interface ToolgenErrors {
  readonly ApiError: ApiError
  readonly BindingError: BindingError
  readonly CassetteError: CassetteError
  readonly ChatMessageError: ChatMessageError
  readonly CodecError: CodecError
  readonly DirectoryInUseError: DirectoryInUseError
  readonly DurableError: DurableError
  readonly InvalidArgumentsError: InvalidArgumentsError
  readonly McpCallError: McpCallError
  readonly ModelResponseError: ModelResponseError
  readonly OpenApiCallError: OpenApiCallError
  readonly SchemaError: SchemaError
  readonly SessionError: SessionError
  readonly SuspensionError: SuspensionError
  readonly ToolFailure: ToolFailure
}

/** Property that all errors of a class have. The name of a class is not sufficient, because other libraries also have classes such as `ApiError`. */
const fieldOf: { readonly [Name in keyof ToolgenErrors]: keyof ToolgenErrors[Name] } = {
  ApiError: 'response',
  BindingError: 'errors',
  CassetteError: 'differences',
  ChatMessageError: 'path',
  CodecError: 'issues',
  DirectoryInUseError: 'directory',
  DurableError: 'report',
  InvalidArgumentsError: 'tool',
  McpCallError: 'rpcCode',
  ModelResponseError: 'text',
  OpenApiCallError: 'operation',
  SchemaError: 'pointer',
  SessionError: 'code',
  SuspensionError: 'schemaIssues',
  ToolFailure: 'reason',
}

/**
 * Returns whether a value is an error of the runtime. Unlike `instanceof`, this function also detects errors of another
 * copy of the package.
 *
 * @param name name of the class. Default: any class of the runtime
 *
 * @example
 * if (isToolgenError(error, 'SessionError') && error.code === 'unknown_session') response.writeHead(404)
 */
export function isToolgenError<Name extends keyof ToolgenErrors = keyof ToolgenErrors>(
  error: unknown,
  name?: Name,
): error is ToolgenErrors[Name] {
  try {
    if (!(error instanceof Error) || !Object.hasOwn(fieldOf, error.name)) return false
    const own = error.name as keyof ToolgenErrors
    if (!(fieldOf[own] in error)) return false
    return name === undefined || name === own || (name === 'ToolFailure' && 'noExample' in error)
  } catch {
    // A proxy whose traps throw is not an error of the runtime.
    return false
  }
}
