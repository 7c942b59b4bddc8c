import type { ToolCallMeta } from '../contract/meta.js'
import type { AgentToolSpec } from '../contract/spec.js'

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
