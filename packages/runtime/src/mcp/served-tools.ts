import type { IncomingHttpHeaders } from 'node:http'
import type { Runtime } from '../agents/runtime.js'
import type { BoundTools } from '../call/bound-toolset.js'
import type { CallOptions, EnvOption } from '../types/call-options.js'
import type { McpServerInfo } from '../types/mcp.js'
import type { ToolsetRegistration } from '../types/registration.js'
import type { ServedClient } from './served-client.js'
/** A client's request for a tool. */
export interface ServedRequest {
  /** The tool name. */
  readonly tool: string
  /** The client, for questions and log messages during the call. */
  readonly client: ServedClient
  /** The session of Streamable HTTP, made by the server; absent over stdio. Not a secret of one user. */
  readonly mcpSession?: string
  /** The headers of the request over HTTP. */
  readonly headers?: IncomingHttpHeaders
}

/** Options of clients' calls: the env of layers, the session, labels. */
export type ServedContext<Env> = Omit<CallOptions, 'signal' | 'onUpdate'> & EnvOption<Env>

/** Tools of an MCP server. `Env` is the type that the layers around the tools require. */
export type ServedTools<Env = unknown> = {
  /** Name and version of the server. Default: `toolgen`. */
  readonly server?: McpServerInfo
  /** Instructions for the models of clients. */
  readonly instructions?: string
  /** Registrations, or bound toolsets and agents; every tool under its tool name. */
  readonly toolsets: readonly (ToolsetRegistration<Env> | BoundTools<Env>)[]
} & (unknown extends Env
  ? {
      /** Returns the options of a client's call. Default: none. */
      readonly context?: (request: ServedRequest) => ServedContext<Env> | Promise<ServedContext<Env>>
    }
  : {
      /** Returns the options of a client's call; required, because layers require an env. */
      readonly context: (request: ServedRequest) => ServedContext<Env> | Promise<ServedContext<Env>>
    })

/** A module for `toolgen serve` with its tools and what belongs to them. */
type ServedProject<Env = unknown> = ServedTools<Env> & {
  /** The runtime in which registrations become tools. Default: a runtime without options. */
  readonly runtime?: Runtime
  /** Called once when the service has ended, to close what the module has opened. */
  readonly close?: () => unknown
}

/**
 * Export of a module for `toolgen serve`, as its default or as `tools`: registrations, bound toolsets and agents; an object
 * with these as `toolsets` and with other options; or a function that returns one of these. `Env` is the type that the layers
 * around the tools require: then only an object can provide it, with its `context`.
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
