import { createServer } from 'node:http'
import type { ModelDriver } from '@toolgen/runtime/agents'
import { onTestFinished } from 'vitest'

/** Server with the chat completions API on the loopback interface. */
export interface ScriptedServer {
  readonly baseURL: string
  /** Bodies of the received requests, in order. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[]
}

const META = { runId: 'r', agent: 'a', labels: {}, signal: new AbortController().signal }

/** Starts a server that answers each request with the next response of a scripted model. The server stops after the test. */
export async function scriptedServer(model: ModelDriver): Promise<ScriptedServer> {
  const bodies: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString())
    bodies.push({ path: request.url, ...body })
    const { message, finishReason, usage } = await model.ask({ messages: body.messages, tools: [], meta: META })
    const choices = [{ index: 0, message, finish_reason: finishReason, logprobs: null }]
    const cost = { prompt_tokens: usage?.promptTokens, completion_tokens: usage?.completionTokens }
    const completion = { id: 'c', object: 'chat.completion', created: 1, model: body.model, choices, usage: cost }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { baseURL: `http://127.0.0.1:${address.port}/v1`, bodies }
}
