import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  type ClientCapabilities,
  type CreateMessageRequestParamsBase,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  type LoggingLevel,
  LoggingLevelSchema,
  type ServerNotification,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { BoundTools } from '../call/execute.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { CallOptions, EnvOption } from '../types/call-options.js'
import type { McpServerInfo } from '../types/mcp.js'
import type { ToolsetRegistration } from '../types/registration.js'

/** How long a person or a model may take to answer, in milliseconds. */
const ANSWER_MS = 300_000

/** How the client is asked for something. */
export interface AskOptions {
  /** How long the answer may take, in milliseconds. Default 5 minutes. */
  readonly timeoutMs?: number
}

/**
 * The client whose call is served, for as long as the call goes on. Layers get it in their `env`, from `context`.
 *
 * @example
 * context: ({ client }) => ({ env: { ask: (message: string) => client.elicit({ message, requestedSchema }) } })
 */
export interface ServedClient {
  /** What the client said that it can, e.g. `elicitation`. */
  readonly capabilities: ClientCapabilities
  /** Writes to the client's log; what is below the level that it asked for is dropped. */
  log(level: LoggingLevel, data: unknown, logger?: string): void
  /**
   * Asks the user with a form. Rejects when the client answers what the form does not allow or not in time, and when the call
   * is cancelled.
   *
   * @throws {ToolFailure} `denied` where the client cannot ask its user: the model is told so.
   */
  elicit(form: ElicitRequestFormParams, options?: AskOptions): Promise<ElicitResult>
  /**
   * Asks the client's model. Rejects like `elicit`.
   *
   * @throws {ToolFailure} `denied` where the client cannot ask its model.
   */
  sample(request: CreateMessageRequestParamsBase, options?: AskOptions): Promise<CreateMessageResult>
}

/** What is known of the request that is served. */
interface ServedCall {
  readonly requestId: string | number
  readonly signal: AbortSignal
  readonly sendNotification: (notification: ServerNotification) => Promise<void>
}

/** The client of a server as the calls see it that it makes. The server must offer logging. */
export function servedClients(server: Server): (call: ServedCall) => ServedClient {
  let lowest = 0
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    lowest = severity(params.level)
    return {}
  })
  return ({ requestId, signal, sendNotification }) => {
    // Over HTTP it is sent on the stream of the call: there may be no other.
    const asked = ({ timeoutMs: timeout = ANSWER_MS }: AskOptions = {}): RequestOptions => ({
      relatedRequestId: requestId,
      signal,
      timeout,
    })
    return {
      get capabilities() {
        return server.getClientCapabilities() ?? {}
      },
      log: (level, data, logger) => {
        if (severity(level) < lowest) return
        const params = { level, data, ...(logger !== undefined && { logger }) }
        // A client that has gone hears nothing; the call ends by its signal.
        sendNotification({ method: 'notifications/message', params }).catch(() => undefined)
      },
      elicit: async (form, options) => {
        if (server.getClientCapabilities()?.elicitation?.form === undefined) throw unableTo('ask its user')
        return server.elicitInput(form, asked(options))
      },
      sample: async (request, options) => {
        if (server.getClientCapabilities()?.sampling === undefined) throw unableTo('ask its model')
        return server.createMessage(request, asked(options))
      },
    }
  }
}

function unableTo(ask: string): ToolFailure {
  const message = `The tool needs a client that can ${ask}, and the one that is used here cannot.`
  return new ToolFailure(message, { reason: 'denied' })
}

function severity(level: LoggingLevel): number {
  return LoggingLevelSchema.options.indexOf(level)
}

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
  /** Registrations, or toolsets and agents that are bound already; every tool under its tool name. */
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
