import type { IncomingHttpHeaders } from 'node:http'
import type { Runtime } from '../agents/runtime.js'
import type { BoundTools } from '../call/bound-toolset.js'
import type { StoredIndexes } from '../tool-search/tool-terms.js'
import type { CallOptions, EnvOption } from '../types/call-options.js'
import type { McpServerInfo } from '../types/mcp.js'
import type { ToolsetRegistration } from '../types/registration.js'
import type { StoredSessionReader } from '../types/session.js'
import type { TokenClaims } from './bearer-auth.js'
import type { ServedClient } from './served-client.js'

/** Request of an MCP client to call a tool. `Claims` is the type of `claims`. */
export interface ServedRequest<Claims = TokenClaims | undefined> {
  /** Name of the tool that the client calls. */
  readonly tool: string
  /** Client that calls the tool. Use it to ask questions and to send log messages during the call. */
  readonly client: ServedClient
  /**
   * Session id of Streamable HTTP, created by the server; absent over stdio. Not a secret. Protocol 2026-07-28 has no sessions: over HTTP,
   * each call then has its own id. To recognize such clients, use `headers`.
   */
  readonly mcpSession?: string
  /** HTTP headers of the request; absent over stdio. */
  readonly headers?: IncomingHttpHeaders
  /** Claims of the access token of the request; `undefined` without `bearerAuth`. */
  readonly claims: Claims
}

/** Options for one tool call of an MCP client, for example `env`, `sessionId` and `labels`. */
export type ServedContext<Env> = Omit<CallOptions, 'signal' | 'onUpdate'> & EnvOption<Env>

/**
 * Tools that an MCP server offers. `Env` is the `env` type that the layers of the tools require. `Claims` is the type of the claims of access
 * tokens.
 */
export type ServedTools<Env = unknown, Claims = TokenClaims | undefined> = {
  /** Name and version that the server reports to clients. Default: `toolgen` and the version of this package. */
  readonly server?: McpServerInfo
  /** Instructions that clients receive for their models. Default: none. */
  readonly instructions?: string
  /** Registrations, bound toolsets or bound agents. Each tool is served under its tool name. */
  readonly toolsets: readonly (ToolsetRegistration<Env> | BoundTools<Env>)[]
} & (unknown extends Env
  ? {
      /** Returns the options for a tool call of a client. Default: no options. */
      readonly context?: (request: ServedRequest<Claims>) => ServedContext<Env> | Promise<ServedContext<Env>>
    }
  : {
      /** Returns the options for a tool call of a client. Required, because layers require an `env`. */
      readonly context: (request: ServedRequest<Claims>) => ServedContext<Env> | Promise<ServedContext<Env>>
    })

/** Tools that a module exports for `toolgen serve`, with further options. */
type ServedProject<Env = unknown> = ServedTools<Env> & {
  /** Runtime that registers the registrations in `toolsets`. Default: a new runtime without options. */
  readonly runtime?: Runtime
  /** Function that is called once when the server has ended. Use it to close resources of the module. Default: none. */
  readonly close?: () => unknown
  /** Search index that `toolgen generate` wrote, or several, for `toolgen serve --code`. The first search is then faster. Default: none. */
  readonly searchIndex?: StoredIndexes['index']
  /** Session store whose sessions the studio of `toolgen dev` shows. Default: none. */
  readonly sessions?: StoredSessionReader
}

/**
 * Type of the `default` or `tools` export of a module for `toolgen serve`. It is one of:
 *
 * - a registration, bound toolset or bound agent, or an array of these
 * - an object with these as `toolsets` and further options
 * - a function that returns one of these
 *
 * `Env` is the `env` type that the layers of the tools require. If the layers require an `env`, you must use the object with `toolsets` and
 * `context`.
 *
 * @example
 * export default [newOrdersToolsetRegistration(executor)] satisfies ServedModule
 *
 * @example
 * export default (async () => ({
 *   toolsets: [registerSupport(runtime, { toolsets: { orders: { client: await connect() } } })],
 *   context: ({ mcpSession = 'stdio' }) => ({ sessionId: mcpSession }),
 * })) satisfies ServedModule
 */
export type ServedModule<Env = unknown> = Served<Env> | (() => Served<Env> | Promise<Served<Env>>)

type Served<Env> = ServedProject<Env> | (unknown extends Env ? Servable<Env> | readonly Servable<Env>[] : never)

type Servable<Env> = ToolsetRegistration<Env> | BoundTools<Env>
