import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { Agent, Runner } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import {
  approval,
  type HasApproval,
  type MaxResult,
  mcpExecutor,
  Runtime,
  renderForModel,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
  withContent,
} from '@toolgen/runtime'
import { base, type ModelDriver, useTools } from '@toolgen/runtime/agents'
import { aiSdkTools } from '@toolgen/runtime/ai-sdk'
import { anthropicDriver } from '@toolgen/runtime/anthropic'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { langChainTools } from '@toolgen/runtime/langchain'
import { inMemoryCaller, type McpCaller, serveMcp } from '@toolgen/runtime/mcp'
import { openAiDriver } from '@toolgen/runtime/openai'
import { openAiAgentsTools } from '@toolgen/runtime/openai-agents'
import { calls, openCassette, says, scriptedModel } from '@toolgen/runtime/testing'
import { generateText, stepCountIs } from 'ai'
import { createAgent } from 'langchain'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scripted } from '../integrations/ai-sdk.framework.js'
import { ScriptedChatModel, toolMessages } from '../integrations/langchain.framework.js'
import { importedAs, type ServedParts } from '../mcp/served.fixture.js'
import { asks, call, modelServer, says as replies } from '../openai/model-server.fixture.js'
import { deciding, png } from './charts.fixture.js'

const pdf = Buffer.from(`%PDF-1.7 ${'.'.repeat(51)}`).toString('base64')
const note = {
  type: 'resource',
  resource: { uri: 'memo://note', mimeType: 'text/markdown', text: '# Call "Ada"\nToday.' },
} as const
const report = {
  type: 'resource',
  resource: { uri: 'memo://reports/q3.pdf', mimeType: 'application/pdf', blob: pdf },
} as const
const logo = { type: 'resource', resource: { uri: 'memo://logo', mimeType: 'image/png', blob: png } } as const
const link: CallToolResult['content'][number] = {
  type: 'resource_link',
  uri: 'memo://sales.csv',
  name: 'sales',
  title: 'Sales',
  description: 'Sales of\nall years.',
  mimeType: 'text/csv',
  size: 12_345,
  annotations: { priority: 1 },
}
const content = [note, report, logo, link]
const outputSchema = { type: 'object', properties: { found: { type: 'integer' } }, required: ['found'] } as const
const structured: CallToolResult = { content, structuredContent: { found: 4 } }

const notePart = { type: 'text', uri: 'memo://note', text: '# Call "Ada"\nToday.', mediaType: 'text/markdown' }
const reportPart = { type: 'file', mediaType: 'application/pdf', data: pdf, uri: 'memo://reports/q3.pdf' }
const logoPart = { type: 'image', mediaType: 'image/png', data: png, uri: 'memo://logo' }
const linkPart = {
  ...{ type: 'resource_link', uri: 'memo://sales.csv', name: 'sales', title: 'Sales', mediaType: 'text/csv' },
  ...{ description: 'Sales of\nall years.', size: 12_345, annotations: { priority: 1 } },
}

/** What a model reads of the resources of {@link structured}. */
const texts = [
  '{"found":4}',
  'Resource memo://note, text/markdown:\n# Call "Ada"\nToday.',
  'Resource memo://reports/q3.pdf: [file 2: application/pdf, 60 bytes]',
  'Resource memo://logo: [image 3: image/png, 70 bytes]',
  'Resource link memo://sales.csv, sales, Sales, text/csv, 12 kB, Sales of all years.',
]
const shown = texts.join('\n')
const refused = 'The file 2 is not shown: the model does not accept application/pdf.'
const withoutPdf = [...texts.slice(0, 3), refused, ...texts.slice(3)].join('\n')

/** Tools of an MCP server whose tool `find` has one result. */
function finding(result: CallToolResult, parts: ServedParts = {}, maxResult?: MaxResult): ToolsetRegistration {
  const server = new Server({ name: 'memo', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, () => result)
  return findingOver(inMemoryCaller(server), parts, maxResult)
}

function findingOver(caller: McpCaller, parts: ServedParts = {}, maxResult?: MaxResult): ToolsetRegistration {
  onTestFinished(() => caller.close())
  const imported = importedAs('memo', { find: parts })
  const tools = imported.toolset.tools.map((each) => ({
    ...each,
    spec: { ...each.spec, ...(maxResult && { maxResult }) },
  }))
  const own = { ...imported.toolset, tools }
  const executor = mcpExecutor({ ...imported, toolset: own }, caller, { onDrift: 'ignore' })
  return toolsetRegistration({ toolset: own, provider: 'mcp' }, executor)
}

const found = (registration: ToolsetRegistration) =>
  new Runtime().registerToolset(registration).execute({ tool: 'memo_find', arguments: '{}' })
const ofStructured = () => finding(structured, { outputSchema })
const turn = [{ id: 'c-1', tool: 'memo_find', arguments: '{}' }]

describe('resources of a result', () => {
  it('are typed parts, and models read them in the JSON that contains them', async () => {
    const outcome = await found(finding({ content }))
    expect(outcome).toMatchObject({ status: 'completed', result: { data: { content } } })
    if (outcome.status !== 'completed') return
    const inResult = true
    expect(outcome.content).toEqual([
      { ...notePart, inResult },
      { ...reportPart, inResult },
      { ...logoPart, inResult },
      { ...linkPart, inResult },
    ])
    const json = JSON.parse(renderForModel(outcome))
    expect(json.content[0]).toEqual(note)
    expect(json.content[1].resource.blob).toBe('[file 2: application/pdf, 60 bytes]')
    expect(json.content[3]).toEqual(link)
  })

  it('are typed parts in addition to structured content', async () => {
    expect(await found(ofStructured())).toMatchObject({
      json: '{"found":4}',
      content: [notePart, reportPart, logoPart, linkPart],
    })
  })

  it.each([
    ['a blob that is not base64', { uri: 'memo://a', mimeType: 'application/pdf', blob: `${pdf.slice(0, -2)} !` }],
    ['no URI', { text: 'A' }],
    ['neither text nor blob', { uri: 'memo://a' }],
  ])('with %s remain JSON', async (_, resource) => {
    const block = { type: 'resource', resource }
    const caller: McpCaller = {
      server: undefined,
      callTool: async () => ({ content: [block] }),
      listTools: async () => [],
      close: async () => undefined,
    }
    const outcome = await found(findingOver(caller))
    expect(outcome).toMatchObject({ json: JSON.stringify({ content: [block] }) })
    expect(outcome).not.toHaveProperty('content')
  })

  it('can be shorter than other files', async () => {
    const blob = { type: 'resource', resource: { uri: 'memo://a', blob: 'aGVsbG8=' } } as const
    const outcome = await found(finding({ content: [blob], structuredContent: { found: 1 } }, { outputSchema }))
    expect(outcome).toMatchObject({
      content: [{ type: 'file', mediaType: 'application/octet-stream', data: 'aGVsbG8=', uri: 'memo://a' }],
    })
  })

  it('are within the maximum of the tool', async () => {
    const long = { ...note, resource: { ...note.resource, text: 'A long note. '.repeat(200) } }
    const tools = finding({ ...structured, content: [long] }, { outputSchema }, { bytes: 500 })
    const server = await modelServer(asks(call('c-1', 'memo_find', {})), replies('Done.'))
    await agentWith(openAiDriver({ client: server.client(), model: 'm' }), tools).run('Find.')
    const text = String(server.bodies[1]?.messages[2]?.content)
    expect(text).toMatch(/^\{"found":4\}\nResource memo:\/\/note, text\/markdown:\nA long note\. /)
    expect(text).toContain('… (shortened, 2600 characters)')
    expect(text.length).toBeLessThan(650)
  })

  it('have a maximum length in total, and models read the number of the others', async () => {
    const long = { ...note, resource: { ...note.resource, text: 'x'.repeat(30_000) } }
    const server = await modelServer(asks(call('c-1', 'memo_find', {})), replies('Done.'))
    const tools = finding({ ...structured, content: [long, link, note] }, { outputSchema })
    await agentWith(openAiDriver({ client: server.client(), model: 'm' }), tools).run('Find.')
    const text = String(server.bodies[1]?.messages[2]?.content)
    expect(text.length).toBeLessThan(20_200)
    expect(text).toContain('Resources that are not shown, because the text would be too long: 2.')
  })
})

const design = { name: 'clerk', description: 'Finds notes.' }
function agentWith(driver: ModelDriver, tools = ofStructured()) {
  return new Runtime().registerAgent(design, [], { agent: base(driver).with(useTools(tools)).build() })
}

describe('models', () => {
  const lead = { type: 'text', text: 'Files of tool results. This message is not from the user.' }
  const title = { type: 'text', text: 'Call c-1 (memo_find):' }
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }

  it.each([
    [
      ['image/png', 'application/*'],
      { type: 'file', file: { filename: 'q3.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
    ],
    [
      undefined,
      { type: 'text', text: 'The file q3.pdf (60 bytes) is not shown: the model does not accept application/pdf.' },
    ],
  ])('of chat completions that accept %j receive resources', async (types, file) => {
    const server = await modelServer(asks(call('c-1', 'memo_find', {})), replies('Done.'))
    const driver = openAiDriver({ client: server.client(), model: 'm', ...(types && { media: { types } }) })
    const run = await agentWith(driver).run('Find.')
    expect(run.result?.text).toBe('Done.')
    expect(server.bodies[1]?.messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c-1', content: shown },
      { role: 'user', content: [lead, title, file, image] },
    ])
  })

  it('of Anthropic receive PDFs as documents', async () => {
    const bodies: any[] = []
    const use = { type: 'tool_use', id: 'c-1', name: 'memo_find', input: {} }
    const client = new Anthropic({
      apiKey: 'none',
      fetch: async (_, init) => {
        bodies.push(JSON.parse(String(init?.body)))
        const first = bodies.length === 1
        return Response.json({
          ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
          content: [first ? use : { type: 'text', text: 'Done.' }],
          stop_reason: first ? 'tool_use' : 'end_turn',
        })
      },
    })
    await agentWith(anthropicDriver({ client, model: 'm', cache: false })).run('Find.')
    expect(bodies[1].messages.at(-1).content).toEqual([
      { type: 'tool_result', tool_use_id: 'c-1', content: shown },
      lead,
      title,
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: pdf },
        title: 'q3.pdf',
      },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
    ])
  })

  it('of the AI SDK receive resources as content of the result', async () => {
    const outputs = async (media?: { readonly types: readonly string[] }) => {
      const model = scripted([turn])
      const tools = aiSdkTools(new Runtime().registerToolset(ofStructured()), { ...(media && { media }) })
      await generateText({ model, tools, prompt: 'Find.', stopWhen: stepCountIs(3) })
      const message = model.doGenerateCalls[1]?.prompt.at(-1)
      const [part] = message?.role === 'tool' ? message.content : []
      return part?.type === 'tool-result' ? part.output : part
    }
    expect(await outputs({ types: ['application/pdf'] })).toMatchObject({
      type: 'content',
      value: [{ type: 'text' }, { type: 'file-data', mediaType: 'application/pdf', data: pdf }],
    })
    expect(await outputs()).toMatchObject({ value: [{ type: 'text', text: withoutPdf }, { data: png }] })
  })

  it('of the OpenAI Agents SDK receive files as outputs of the tool', async () => {
    const model = new ScriptedModel([[functionCall('memo_find', '{}', { callId: 'c-1' })], [assistantMessage('Done.')]])
    const media = { types: ['application/pdf', 'image/png'] }
    const tools = openAiAgentsTools(new Runtime().registerToolset(ofStructured()), { media })
    await new Runner({ tracingDisabled: true }).run(new Agent({ name: 'clerk', model, tools }), 'Find.')
    const input = model.calls[1]?.request.input
    const result = Array.isArray(input) ? input.find(({ type }) => type === 'function_call_result') : undefined
    expect(result).toMatchObject({
      output: [
        { type: 'input_text', text: shown },
        { type: 'input_file', filename: 'q3.pdf', file: expect.stringContaining(pdf) },
        { type: 'input_image' },
      ],
    })
  })

  it('of LangChain receive files as content blocks', async () => {
    const model = new ScriptedChatModel([turn])
    const media = { types: ['application/pdf'] }
    const tools = langChainTools(new Runtime().registerToolset(ofStructured()), { media })
    await createAgent({ model, tools }).invoke({ messages: [{ role: 'user', content: 'Find.' }] })
    expect(toolMessages(model.heard[1] ?? [])[0]?.content).toMatchObject([
      { type: 'text' },
      { type: 'file', mimeType: 'application/pdf', data: pdf },
    ])
  })
})

describe('an MCP server of ours', () => {
  const served = (registration: ToolsetRegistration, name = 'memo_find') => {
    const caller = inMemoryCaller({
      connect: (transport) => serveMcp(new Runtime(), { toolsets: [registration], transport }),
    })
    onTestFinished(() => caller.close())
    const { signal } = new AbortController()
    return caller.callTool({ name, arguments: {} }, { signal })
  }

  it('passes on resources unchanged', async () => {
    expect(await served(finding({ content }))).toEqual({ content })
    const text = { type: 'text', text: '{"found":4}' }
    expect(await served(ofStructured())).toEqual({ ...structured, content: [text, ...content] })
  })

  it('sends files of other tools as resources', async () => {
    const run = () => withContent({ title: 'A' }, [{ mediaType: 'application/pdf', data: pdf }])
    const own = toolset('own', tool({ name: 'print', description: 'Prints.', parameters: {}, run }))
    expect(await served(own, 'print')).toEqual({
      content: [
        { type: 'text', text: '{"title":"A"}' },
        { type: 'resource', resource: { uri: 'cid:file-1', mimeType: 'application/pdf', blob: pdf } },
      ],
    })
  })
})

describe('a run', () => {
  const both = calls(
    { tool: 'memo_find', arguments: {}, toolCallId: 'one' },
    { tool: 'send', arguments: {}, toolCallId: 'two' },
  )
  const send = tool({ name: 'send', description: 'Sends.', parameters: {}, run: () => 'sent' })
  const sending = () => toolset('mail', send).layer(approval())
  const parts = [notePart, reportPart, logoPart, linkPart]

  it('keeps resources while it is suspended as JSON', async () => {
    const agent = new Runtime().registerAgent<[], HasApproval>(design, [], {
      agent: base(scriptedModel([both, says('Done.')]))
        .with(useTools(ofStructured()))
        .with(useTools(sending()))
        .build(),
    })
    const run = await agent.run('Find.', deciding('suspend'))
    const suspension = JSON.parse(JSON.stringify(run.suspension))
    const resumed = await agent.resume(suspension, { two: 'approve' }, deciding('suspend'))
    expect(resumed.outcomes).toMatchObject([{ content: parts }, { status: 'completed' }])
    expect(resumed.messages[2]).toMatchObject({ role: 'tool', content: shown })
    expect(JSON.stringify(resumed.messages).split(pdf)).toHaveLength(2)
    const forged = { ...suspension, id: 'other' }
    forged.progress.outcomes[0].content[0].text = 5
    const refusal = await agent.resume(forged, { two: 'approve' }, deciding('suspend'))
    expect(refusal.error?.message).toContain('/progress/outcomes/0/content/0/text: Expected a string')
  })

  it('with resources can be recorded and replayed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgen-resources-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const played = async (mode: 'record' | 'replay') => {
      const cassette = await openCassette(join(folder, 'run.jsonl'), { mode })
      const driver = cassette.driver(
        scriptedModel([calls({ tool: 'memo_find', arguments: {}, toolCallId: 'one' }), says('Done.')]),
      )
      const run = await agentWith(driver, ofStructured().layer(cassette.toolLayer())).run('Find.')
      await cassette.close()
      return run
    }
    const recorded = await played('record')
    const replayed = await played('replay')
    expect(replayed.messages).toEqual(recorded.messages)
    expect(replayed.outcomes).toMatchObject([{ content: parts }])
  })
})

it('a program of code mode reads resources as data, and gives models those that it returns', async () => {
  const own = { checker: typescriptChecker(), sandbox: quickJsSandbox() }
  onTestFinished(async () => void (await Promise.all([own.checker.close(), own.sandbox.close()])))
  const program = new Runtime().registerToolset(codeMode(new Runtime().registerToolset(finding({ content })), own))
  const code = `const found = await memo.find({})
if (typeof found !== 'object' || found === null || Array.isArray(found) || !Array.isArray(found.content)) return null
return found.content.slice(1, 2)`
  expect(await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })).toMatchObject({
    json: expect.stringContaining('"blob":"[file 1: application/pdf, 60 bytes]"'),
    content: [{ ...reportPart, inResult: true }],
    result: { data: { value: [report] } },
  })
})

describe('withContent', () => {
  it.each([
    [{ mediaType: 'pdf', data: pdf }, "part 0 ('pdf') is invalid. The media type is malformed."],
    [{ type: 'text', uri: 'memo://a' }, "part 0 ('memo://a') is invalid. Pass a file as `mediaType` and `data`"],
    [{ type: 'resource_link', uri: 'memo://a' }, 'or a link as `uri` and `name`.'],
    [{ mediaType: 'application/pdf', data: 'aGVsbG8=' }, '`data` has 5 bytes. A file has at least 24 bytes.'],
  ])('rejects %j', (part, message) => {
    expect(() => withContent(null, [part as never])).toThrow(message)
  })

  it('takes the parts of another outcome', () => {
    const part = { ...reportPart, inResult: true as const, type: 'file' as const }
    expect(withContent(null, [part])).toMatchObject({ content: [reportPart] })
    expect(withContent(null, [part]).content?.[0]).not.toHaveProperty('inResult')
  })
})
