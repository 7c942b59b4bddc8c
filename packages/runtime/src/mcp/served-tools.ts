import type { IncomingHttpHeaders } from 'node:http'
import type { Runtime } from '../agents/runtime.js'
import type { BoundTools } from '../call/bound-toolset.js'
import type { CallOptions, EnvOption } from '../types/call-options.js'
import type { McpServerInfo } from '../types/mcp.js'
import type { ToolsetRegistration } from '../types/registration.js'
import type { ServedClient } from './served-client.js'
/** Request of a client to call a tool. */
export interface ServedRequest {
  /** Name of the tool. */
  readonly tool: string
  /** Client, for questions and log messages during the call. */
  readonly client: ServedClient
  /** Session id of Streamable HTTP, created by the server; absent over stdio. Not a secret. */
  readonly mcpSession?: string
  /** HTTP headers of the request. */
  readonly headers?: IncomingHttpHeaders
}

/** Options for calls of clients: `env` of layers, session, labels. */
export type ServedContext<Env> = Omit<CallOptions, 'signal' | 'onUpdate'> & EnvOption<Env>

/** Tools of an MCP server. `Env` is the type that the layers around the tools require. */
export type ServedTools<Env = unknown> = {
  /** Name and version of the server. Default: `toolgen`. */
  readonly server?: McpServerInfo
  /** Instructions for the models of clients. */
  readonly instructions?: string
  /** Registrations, bound toolsets or bound agents. Each tool is served under its tool name. */
  readonly toolsets: readonly (ToolsetRegistration<Env> | BoundTools<Env>)[]
} & (unknown extends Env
  ? {
      /** Returns the options of a client's call. Default: none. */
      readonly context?: (request: ServedRequest) => ServedContext<Env> | Promise<ServedContext<Env>>
    }
  : {
      /** Returns the options of a client's call. Required, because layers require an `env`. */
      readonly context: (request: ServedRequest) => ServedContext<Env> | Promise<ServedContext<Env>>
    })

/** Tools of a module for `toolgen serve`, with further options. */
type ServedProject<Env = unknown> = ServedTools<Env> & {
  /** Runtime for registrations. Default: a runtime without options. */
  readonly runtime?: Runtime
  /** Called once when the service has ended, to close resources of the module. */
  readonly close?: () => unknown
}

/**
 * Type of the `default` or `tools` export of a module for `toolgen serve`. It is one of:
 *
 * - a registration, bound toolset or bound agent, or an array of these
 * - an object with these as `toolsets` and further options
 * - a function that returns one of these
 *
 * `Env` is the type that the layers of the tools require. If they require one, only the object form with `context` is
 * possible.
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
