import { mcpExecutor, type RunEvent, Runtime, toolsetRegistration } from '@toolgen/runtime'
import { base } from '@toolgen/runtime/agents'
import type { McpToolResult } from '@toolgen/runtime/mcp'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { expect, it } from 'vitest'
import { importedAs } from '../mcp/served.fixture.js'
import { everywhere, marker } from './crm.fixture.js'

const iban = 'DE89370400440532013000'
const link = { type: 'resource_link', uri: 'file:///a', name: marker } as const

const imported = (() => {
  const schema = { type: 'object', properties: { iban: { type: 'string' } }, required: ['iban'] } as const
  const plain = importedAs('bank', { pay: { arguments: schema } })
  const sensitive = { payload: { '/iban': everywhere } }
  const tools = plain.toolset.tools.map((each) => ({ ...each, spec: { ...each.spec, sensitive } }))
  return { ...plain, toolset: { ...plain.toolset, tools } }
})()

/** Results of a server that repeats the value of a sensitive argument in an unusual place. */
const results: Readonly<Record<string, McpToolResult>> = {
  'the media type of a link': { content: [{ ...link, mimeType: `text/${iban}` }] },
  'a word in place of the media type': { content: [{ ...link, mimeType: iban }] },
  'the media type of a text': {
    content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: `text/${iban}`, text: marker } }],
  },
  'a name of annotations': { content: [{ ...link, annotations: { [iban]: 1, audience: [iban] } }] },
  'the address and the name of a link': {
    content: [{ ...link, uri: `file:///${iban}`, title: iban, description: iban }],
  },
  'names and fixed words of data': {
    content: [],
    structuredContent: { [iban]: { type: iban, kind: iban, status: iban, id: iban }, note: marker },
  },
  'an error': { isError: true, content: [{ type: 'text', text: `${marker} ${iban}` }], _meta: { [iban]: iban } },
  'JSON in a text': {
    content: [{ type: 'text', text: JSON.stringify({ role: iban, note: marker, arguments: { [iban]: 1 } }) }],
  },
}

it.each(Object.entries(results))('a sensitive argument that a server repeats in %s stays hidden', async (_, result) => {
  const caller = { listTools: async () => [], callTool: async () => result }
  const executor = mcpExecutor(imported, caller as never, { onDrift: 'ignore' })
  const registration = toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor)
  const model = scriptedModel([calls({ tool: 'bank_pay', arguments: { iban }, toolCallId: 'pay' }), says('ok')])
  const events: RunEvent[] = []
  const runtime = new Runtime({ sinks: [(event) => events.push(event)] })
  const agent = base(model).build()
  const run = await runtime.registerAgent({ name: 'desk', description: 'Pays.' }, [registration], { agent }).run('?')
  for (const output of [events, run.events, model.requests.at(-1)?.messages.slice(2)]) {
    const text = JSON.stringify(output)
    expect(text).toContain(marker)
    expect(text).not.toContain(iban)
  }
})
