import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import type { CallOptions } from '../../contract/call-options.js'
import type { EnvOption } from '../../contract/capability.js'
import type { McpServerInfo } from '../../contract/mcp.js'
import type { ToolsetRegistration } from '../../contract/registration.js'
import type { BoundTools } from '../../execute/bound-tools.js'
import type { ServedClient } from './served-client.js'

/** A request of a client for a tool, as far as it may matter to whoever says what the call runs with. */
export interface ServedRequest {
  /** The name under which the tool is served. */
  readonly tool: string
  /** Who calls: to be asked and told things while the call goes on. */
  readonly client: ServedClient
  /** The session of Streamable HTTP, made by the server; absent over stdio. Not a secret of one user. */
  readonly mcpSession?: string
  /** The headers of the request over HTTP. */
  readonly headers?: IncomingHttpHeaders
}

/** What the calls of clients run with: the env of layers, the session, labels. */
export type ServedContext<Env> = Omit<CallOptions, 'signal' | 'onUpdate'> & EnvOption<Env>

/** What is served. `Env` names what the layers around the tools need. */
export type ServedTools<Env = unknown> = {
  /** What clients see as the server. Default: `toolgen`. */
  readonly server?: McpServerInfo
  /** What clients are told for their models. */
  readonly instructions?: string
  /** Registrations, or toolsets and agents that are bound already; every tool under its wire name. */
  readonly toolsets: readonly (ToolsetRegistration<Env> | BoundTools<Env>)[]
} & (unknown extends Env
  ? {
      /** What the calls of a client run with. Default: nothing beside their ids. */
      readonly context?: (request: ServedRequest) => ServedContext<Env> | Promise<ServedContext<Env>>
    }
  : {
      /** What the calls of a client run with: required, as layers need something of the env. */
      readonly context: (request: ServedRequest) => ServedContext<Env> | Promise<ServedContext<Env>>
    })

/** Where stdio is served when not at the process's own streams. */
export interface StdioStreams {
  readonly input: Readable
  /** Nothing else may write to it. */
  readonly output: Writable
}

/** Where Streamable HTTP is served. */
export interface HttpListenOptions {
  /** 0: any that is free. */
  readonly port: number
  /** Default `127.0.0.1`: only this machine. */
  readonly host?: string
  /** Default `/mcp`. */
  readonly path?: string
  /**
   * The names in `Host` headers that are answered, without port. Default: those of this machine. Required where `host` is
   * another, so that no web page can reach the server under a name of its own.
   */
  readonly allowedHosts?: readonly string[]
  /** The origins of web pages that may call, e.g. `https://app.example.com`. Default: those of this machine. */
  readonly allowedOrigins?: readonly string[]
  /**
   * Maximum number of sessions at a time. Default 1,000. A further one takes the place of the oldest that never got past
   * `initialize`, else of the least recently used; its client is answered 404 and begins a new session. 503 is answered where
   * every session has a call in progress.
   */
  readonly maxSessions?: number
  /** How long a session may be idle before it is forgotten, in milliseconds. Default 30 minutes. */
  readonly sessionIdleMs?: number
}

/** A server that runs. */
export interface McpService {
  /** Where it is served over HTTP. */
  readonly url?: string
  /** Resolves when the service has ended: by `close`, or because its client has gone over stdio. */
  readonly ended: Promise<void>
  /** Ends all connections; calls under way are cancelled. */
  close(): Promise<void>
}
