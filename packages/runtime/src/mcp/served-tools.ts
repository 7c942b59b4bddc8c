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
import type { ServedTaskOptions } from './served-tasks.js'

export interface ServedRequest<Claims = TokenClaims | undefined> {
  readonly tool: string
  readonly client: ServedClient
  /**
   * Session id of Streamable HTTP, created by the server. Absent over stdio. The id is not a secret. Protocol 2026-07-28 has no sessions: over
   * HTTP, each call has its own id. To identify a client with this protocol, use `headers`.
   */
  readonly mcpSession?: string
  /** HTTP headers of the request. Absent over stdio. */
  readonly headers?: IncomingHttpHeaders
  /** Claims of the access token of the request. `undefined` if the server does not use `bearerAuth`. */
  readonly claims: Claims
}

export type ServedContext<Env> = Omit<CallOptions, 'signal' | 'onUpdate'> & EnvOption<Env>

/**
 * Tools that an MCP server offers, and options of the server. `Env` is the type of the option `env` that the layers of the tools require. `Claims` is
 * the type of an access token's claims.
 */
export type ServedTools<Env = unknown, Claims = TokenClaims | undefined> = {
  /** Name and version of the server, which clients receive. Default: `toolgen` and the version of this package. */
  readonly server?: McpServerInfo
  /** Instructions for the models of clients. Default: no instructions. */
  readonly instructions?: string
  /**
   * Toolset registrations, or registered toolsets and agents (result of `registerSupport`). Clients call a tool by its `toolName`, such as
   * `orders_getOrder`.
   */
  readonly toolsets: readonly (ToolsetRegistration<Env> | BoundTools<Env>)[]
  /**
   * MCP tasks: a call that needs more than 7 seconds (`afterMs`) continues after the response to its request, if the client declares the extension
   * `io.modelcontextprotocol/tasks` of protocol 2026-07-28. Tasks are in the memory of this process. `false` switches tasks off. Default: tasks with
   * the default options.
   */
  readonly tasks?: ServedTaskOptions | false
} & (unknown extends Env
  ? {
      /** Returns the options for a tool call of a client. Default: no options. */
      readonly context?: (request: ServedRequest<Claims>) => ServedContext<Env> | Promise<ServedContext<Env>>
    }
  : {
      /** Returns the options for a tool call of a client. Required, because layers require an `env`. */
      readonly context: (request: ServedRequest<Claims>) => ServedContext<Env> | Promise<ServedContext<Env>>
    })

type ServedProject<Env = unknown> = ServedTools<Env> & {
  /** Runtime that executes the calls of the toolset registrations. Default: a new runtime without options. */
  readonly runtime?: Runtime
  /**
   * Closes resources of the module. `toolgen serve` calls this function once when the server has ended. Default: no
   * function.
   */
  readonly close?: () => unknown
  /**
   * Search index that `toolgen generate` wrote, or an array of indexes, for `toolgen serve --code`. An index makes the first search faster.
   * Default: no index.
   */
  readonly searchIndex?: StoredIndexes['index']
  /** Session store for the studio of `toolgen dev`, which displays the stored sessions. Default: no store. */
  readonly sessions?: StoredSessionReader
}

/**
 * Type of the `default` or `tools` export of a module for `toolgen serve`:
 *
 * - a toolset registration, a registered toolset or agent (result of `registerSupport`), or an array of such values
 * - an object with such tools in the property `toolsets`, and with options such as `context` in its other properties
 * - a function that returns such tools or such an object
 *
 * `Env` is the type of the option `env` that the layers of the tools require. If the layers require an `env`, you must use the object with `toolsets`
 * and `context`.
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
