import { deepStrictEqual } from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { reportOf } from './peers/report.js'

export const protocols = ['2025-11-25', '2026-07-28']

const [sessions, stateless] = protocols
const clientInfo = { name: 'bench', version: '1' }

/** Opens clients, each with its own connection. In the older protocol, each client also has its own session. */
export async function openClients(url, protocol, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const clients = await Promise.all(Array.from({ length: count }, () => openClient(agent, url, protocol)))
  return { clients, close: () => agent.destroy() }
}

/** Makes calls with all clients in parallel. Each client makes its calls one after the other. Throws if the first result of a client is wrong. */
export async function measuredCalls({ clients }, rows, count) {
  const latencies = []
  const started = performance.now()
  let left = count
  await Promise.all(
    clients.map(async (call) => {
      for (let isFirst = true; left > 0; isFirst = false) {
        left -= 1
        const begun = performance.now()
        const text = await call(rows)
        latencies.push(performance.now() - begun)
        if (isFirst) checkResult(text, rows)
      }
    }),
  )
  return { latencies, seconds: (performance.now() - started) / 1_000 }
}

async function openClient(agent, url, protocol) {
  let id = 0
  let session
  const post = async (method, params, more = {}) => {
    id += 1
    const headers = {
      ...(session !== undefined && { 'mcp-session-id': session }),
      'mcp-protocol-version': protocol,
      ...more,
    }
    const isRequest = !method.startsWith('notifications/')
    return send(agent, url, headers, { jsonrpc: '2.0', ...(isRequest && { id }), method, params })
  }
  if (protocol === stateless) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': protocol,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'mcp-method': 'tools/call', 'mcp-name': 'report' }
    return async (rows) => (await post('tools/call', { name: 'report', arguments: { rows }, _meta }, headers)).text
  }
  const opened = await post('initialize', { protocolVersion: sessions, capabilities: {}, clientInfo })
  session = opened.headers['mcp-session-id']
  await post('notifications/initialized', {})
  return async (rows) => (await post('tools/call', { name: 'report', arguments: { rows } })).text
}

function send(agent, url, headers, message) {
  const body = JSON.stringify(message)
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode < 300) resolve({ headers: response.headers, text })
        else reject(new Error(`${message.method} failed with ${response.statusCode}: ${text.slice(0, 500)}`))
      })
    })
    sent.end(body)
  })
}

function checkResult(text, rows) {
  // A response is JSON or a stream with one server-sent event.
  const json = text.startsWith('{')
    ? text
    : text
        .split('\n')
        .findLast((line) => line.startsWith('data: {'))
        ?.slice(6)
  const { result } = JSON.parse(json)
  deepStrictEqual(JSON.parse(result.content[0].text), reportOf(rows))
  deepStrictEqual(result.structuredContent, reportOf(rows))
}
