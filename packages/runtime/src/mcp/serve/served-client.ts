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
import { ToolFailure } from '../../execute/failure/tool-failure.js'

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
