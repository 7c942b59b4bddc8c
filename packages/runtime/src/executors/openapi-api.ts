import { ToolFailure } from '../call/tool-failure.js'
import type { AgentToolSpec, ToolCallMeta } from '../types/tool.js'

/** What is known of a request that was answered with something other than a result. */
export interface OpenApiCallErrorFacts {
  /** E.g. `GET /orders/{id}`. */
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  /** The body as text, its beginning where it is long. */
  readonly body: string
}

/**
 * What an HTTP API answered in place of a result. The runtime classifies it by its status and headers; its message is for
 * the application's log, no model sees it.
 */
export class OpenApiCallError extends Error {
  override readonly name = 'OpenApiCallError'
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  readonly body: string

  constructor({ operation, status, headers, body }: OpenApiCallErrorFacts) {
    super(`${operation} was answered with status ${status}`)
    this.operation = operation
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** The failure of an argument that its schema takes and no request can carry. */
export function refusedArgument(field: string, why: string): ToolFailure {
  return new ToolFailure(`${JSON.stringify(field)} ${why}.`, { reason: 'invalid_arguments', noExample: true })
}

/** The media type of an answer in lower case, without parameters; empty where it says none. */
export function mediaTypeOf(headers: Headers): string {
  return plainType(headers.get('content-type') ?? '')
}

/** A media type in lower case, without parameters. */
export function plainType(written: string): string {
  return written.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Whether a media type is JSON, such as `application/problem+json`. */
export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/(?:json|.+\+json)$/.test(type)
}

/** A call as what is injected into its request may know it. */
export interface ApiCall {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
}

/** A user's name with a password. */
export interface BasicCredential {
  readonly username: string
  readonly password: string
}

/** A key, a token, or a name with a password; `undefined` where the caller has none. */
export type ApiCredential = string | BasicCredential | undefined

/** Something that is the same for all calls, or what gives it for one. */
export type PerCall<Value> = Value | ((call: ApiCall) => Value | Promise<Value>)

/** How the requests of an executor are made. No model sees any of it. */
export interface OpenApiExecutorOptions {
  /** Where the API is, in place of every server that its document names. Default: what the document names. */
  readonly baseUrl?: PerCall<string>
  /**
   * The credentials, by the document's name of the way in which they are sent. An operation takes the first of its
   * alternatives of which all are given; where none is, the request is sent without.
   */
  readonly auth?: Readonly<Record<string, PerCall<ApiCredential>>>
  /** Sent with every request; they replace headers of the same name that are parameters. */
  readonly headers?: PerCall<Readonly<Record<string, string>>>
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** How large an answer may be, in bytes. Default 8 MiB. */
  readonly maxAnswerBytes?: number
}
