import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra, RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  type ClientCapabilities,
  type CreateMessageRequestParamsBase,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  type LoggingLevel,
  LoggingLevelSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { ToolFailure } from '../call/tool-failure.js'

/** Options for a request to an MCP client: its time limit. */
interface AskOptions {
  /** Maximum time for the response, in milliseconds. Default: 5 minutes. */
  readonly timeoutMs?: number
}

/**
 * MCP client that has called a tool. You can use this object until the call ends. To use it in layers, return it as part of `env` from the
 * option `context`.
 *
 * @example
 * context: ({ client }) => ({ env: { ask: (message: string) => client.elicit({ message, requestedSchema }) } })
 */
export interface ServedClient {
  /** Capabilities of the client, such as `elicitation`. */
  readonly capabilities: ClientCapabilities
  /** Sends a log message to the client. Does nothing if `level` is lower than the minimum level that the client has set. */
  log(level: LoggingLevel, data: unknown, logger?: string): void
  /**
   * Asks the user of the client to fill in a form. Rejects if the response does not match the form or arrives too late, or if the call is
   * cancelled.
   *
   * @throws {ToolFailure} `denied` if the client cannot show forms. The model receives the message of this error.
   */
  elicit(form: ElicitRequestFormParams, options?: AskOptions): Promise<ElicitResult>
  /**
   * Sends a request to the model of the client. Rejects if the response arrives too late, or if the call is cancelled.
   *
   * @throws {ToolFailure} `denied` if the client does not offer its model.
   */
  sample(request: CreateMessageRequestParamsBase, options?: AskOptions): Promise<CreateMessageResult>
}

/** Returns a function that creates the {@link ServedClient} of a call. `server` must have the capability `logging`. */
export function servedClients(
  server: Server,
): (call: RequestHandlerExtra<ServerRequest, ServerNotification>) => ServedClient {
  const severity = (level: LoggingLevel): number => LoggingLevelSchema.options.indexOf(level)
  let lowest = 0
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    lowest = severity(params.level)
    return {}
  })
  const capabilities = (): ClientCapabilities => server.getClientCapabilities() ?? {}
  const unableTo = (ask: string): ToolFailure => {
    const message = `The tool needs a client that can ${ask}, but this client cannot.`
    return new ToolFailure(message, { reason: 'denied' })
  }
  return ({ requestId, signal, sendNotification }) => {
    // Over HTTP, the request is sent on the stream of the call, which can be the only one.
    const options = ({ timeoutMs: timeout = 300_000 }: AskOptions = {}): RequestOptions => ({
      relatedRequestId: requestId,
      signal,
      timeout,
    })
    return {
      get capabilities() {
        return capabilities()
      },
      log: (level, data, logger) => {
        if (severity(level) < lowest) return
        const params = { level, data, ...(logger !== undefined && { logger }) }
        // If the client has gone, the call ends by its signal.
        sendNotification({ method: 'notifications/message', params }).catch(() => undefined)
      },
      elicit: async (form, timeout) => {
        if (capabilities().elicitation?.form === undefined) throw unableTo('ask its user')
        return server.elicitInput(form, options(timeout))
      },
      sample: async (request, timeout) => {
        if (capabilities().sampling === undefined) throw unableTo('ask its model')
        return server.createMessage(request, options(timeout))
      },
    }
  }
}
