import { createRequire } from 'node:module'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { memoryStore, SessionRegistry } from '@toolgen/runtime/sessions'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  mcpExecutor,
  Runtime,
  renderForModel,
  type ToolOutcome,
  type ToolsetDescriptor,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
  withContent,
} from '../../packages/runtime/src/index.js'
import { inMemoryCaller, type McpCaller, serveMcp, stdioCaller } from '../../packages/runtime/src/mcp.js'
import { openApiExecutor } from '../../packages/runtime/src/openapi.js'
import { importedAs, type ServedParts } from '../mcp/served.fixture.js'
import { until } from '../sessions/sessions.fixture.js'
import { charts, deciding, large, png, pngPart, pngText, svg, wav, wavPart } from './charts.fixture.js'

const { signal } = new AbortController()
const approved = deciding('approve')

/** The tool `take` of an MCP server. */
function cameraOf(caller: McpCaller, imported = importedAs('camera', { take: {} })): ToolsetRegistration {
  onTestFinished(() => caller.close())
  const executor = mcpExecutor(imported, caller, { onDrift: 'ignore' })
  return toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor)
}

/** A camera whose server gives one answer. The tool can have another result than the server declares. */
function answering(result: CallToolResult, parts: ServedParts = {}, toolset?: ToolsetDescriptor): ToolsetRegistration {
  const server = new Server({ name: 'camera', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, () => result)
  const imported = importedAs('camera', { take: parts })
  return cameraOf(inMemoryCaller(server), { ...imported, ...(toolset && { toolset }) })
}

const taken = (registration: ToolsetRegistration, tool = 'camera_take'): Promise<ToolOutcome> =>
  new Runtime().registerToolset(registration).execute({ tool, arguments: '{}' })

const image = { type: 'image', mimeType: 'image/png', data: png } as const
const audio = { type: 'audio', mimeType: 'audio/wav', data: wav } as const
const text = { type: 'text', text: 'A picture' } as const

describe('an MCP tool', () => {
  it('of a real server gives its image to models, and its blocks to code', async () => {
    const script = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
    const caller = stdioCaller({ command: process.execPath, args: [script, 'stdio'] })
    const outcome = await taken(
      cameraOf(caller, importedAs('camera', { 'get-tiny-image': {} })),
      'camera_get-tiny-image',
    )
    expect(outcome).toMatchObject({
      status: 'completed',
      content: [{ type: 'image', mediaType: 'image/png', data: expect.stringMatching(/^iVBOR/) }],
      json: expect.stringMatching(/"data":"\[image 1: image\/png, \d+ kB\]"/),
      result: { data: { content: [{ type: 'text' }, { data: expect.stringMatching(/^iVBOR/) }, { type: 'text' }] } },
    })
  })

  it('can have images beside its structured content', async () => {
    const registration = answering({ content: [text, image, audio], structuredContent: { title: 'A' } })
    expect(await taken(registration)).toMatchObject({ json: '{"title":"A"}', content: [pngPart, wavPart] })
  })

  it('can have a text as its result, with an image beside it', async () => {
    const { toolset } = importedAs('camera', { take: { outputSchema: { type: 'string' } } })
    const registration = answering({ content: [image, text] }, {}, toolset)
    expect(await taken(registration)).toMatchObject({ json: '"A picture"', content: [pngPart] })
  })

  it.each([
    ['a document', { ...image, mimeType: 'application/pdf' }],
    ['no base64', { ...image, data: `${png} ` }],
  ])('gives an image with %s as JSON', async (_, block) => {
    const outcome = await taken(answering({ content: [block as typeof image] }))
    expect(outcome).toMatchObject({ status: 'completed', json: expect.stringContaining(block.data) })
    expect(outcome).not.toHaveProperty('content')
  })
})

describe('an MCP server of ours', () => {
  const served = async (registration: ToolsetRegistration<any>, name: string, args = {}) => {
    const caller = inMemoryCaller({
      connect: (transport) =>
        serveMcp(new Runtime(), { toolsets: [registration], transport, context: () => ({ ...approved }) }),
    })
    onTestFinished(() => caller.close())
    return caller.callTool({ name, arguments: args }, { signal })
  }

  it('passes on the blocks of an MCP server unchanged', async () => {
    const content = [text, { ...image, annotations: { audience: ['user' as const] } }, audio]
    expect(await served(answering({ content }), 'camera_take')).toEqual({ content })
  })

  it('sends images and audio of other tools as blocks', async () => {
    expect(await served(charts(), 'attach', { kinds: ['png', 'wav', 'large'] })).toEqual({
      content: [{ type: 'text', text: '{"title":"Sales"}' }, image, audio, { ...image, data: large }],
    })
  })

  it('keeps declared structured content whole', async () => {
    const outputSchema = { type: 'object', properties: { photo: { type: 'string' } }, required: ['photo'] } as const
    const registration = answering({ content: [image], structuredContent: { photo: png } }, { outputSchema })
    expect(await served(registration, 'camera_take')).toEqual({
      structuredContent: { photo: png },
      content: [{ type: 'text', text: `{"photo":"${pngText}"}` }, image],
    })
  })
})

describe('an HTTP API', () => {
  const requested = (type: string, data: string) => {
    const { toolset } = importedAs('api', { photo: {} })
    const fetch = async () => new Response(Buffer.from(data, 'base64'), { headers: { 'content-type': type } })
    const api = { toolset, server: 'https://api.example', operations: { photo: { method: 'GET', path: '/photo' } } }
    return taken(toolsetRegistration({ toolset, provider: 'service' }, openApiExecutor(api, { fetch })), 'api_photo')
  }

  it.each([
    ['image/png', png, pngPart, pngText],
    ['audio/x-wav; rate=16000', wav, wavPart, '[audio 1: audio/wav, 56 bytes]'],
    ['IMAGE/SVG+XML', svg, { type: 'image', mediaType: 'image/svg+xml' }, '[image 1: image/svg+xml, 62 bytes]'],
  ])('gives a response of type %s to models', async (type, data, part, shown) => {
    expect(await requested(type, data)).toMatchObject({
      json: JSON.stringify(shown),
      content: [part],
      result: { data },
    })
  })

  it('gives other bytes as base64', async () => {
    expect(await requested('application/octet-stream', png)).toMatchObject({ json: JSON.stringify(png) })
  })
})

describe('a program of code mode', () => {
  const parts = { checker: typescriptChecker(), sandbox: quickJsSandbox() }
  afterAll(() => Promise.all([parts.checker.close(), parts.sandbox.close()]))

  it('works with whole values, and gives models the images that it returns', async () => {
    const { Runtime } = await import('@toolgen/runtime')
    const program = new Runtime().registerToolset(codeMode(new Runtime().registerToolset(charts()), parts))
    const run = (code: string) =>
      program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }, approved)
    const drawn = `const drawn = await charts.draw({ kinds: ['png', 'wav'] })
if (typeof drawn !== 'object' || drawn === null || Array.isArray(drawn) || !Array.isArray(drawn.charts)) return null\n`
    const first = await run(`${drawn}return { photo: drawn.charts[0] }`)
    expect(first).toMatchObject({ json: `{"value":{"photo":"${pngText}"}}`, content: [pngPart] })
    const count = await run(`${drawn}return String(drawn.charts[0]).length`)
    expect(count).toMatchObject({ json: `{"value":${png.length}}` })
    expect(count).not.toHaveProperty('content')
  })

  it('does not write the data of images to its console', async () => {
    const { Runtime } = await import('@toolgen/runtime')
    const program = new Runtime().registerToolset(codeMode(new Runtime().registerToolset(charts()), parts))
    const run = (code: string) =>
      program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }, approved)
    const drawn = `const drawn = await charts.draw({ kinds: ['png', 'wav'] })
console.log('drawn', drawn)\n`
    expect(await run(`${drawn}return 1`)).toMatchObject({
      json: `{"value":1,"console":["drawn {\\"title\\":\\"Sales\\",\\"charts\\":[\\"[image/png, 70 bytes]\\",\\"[audio/wav, 56 bytes]\\"]}"]}`,
    })
    const both = await run(`${drawn}console.log('')\nreturn drawn`)
    expect(both).toMatchObject({ content: [pngPart, wavPart] })
    expect(JSON.stringify(both)).toContain(pngText)
    expect(renderForModel(both)).not.toContain(png)
    expect(renderForModel(both)).not.toContain(wav)
  })

  it('keeps images while it is suspended as JSON', async () => {
    const { Runtime } = await import('@toolgen/runtime')
    const program = new Runtime().registerToolset(codeMode(new Runtime().registerToolset(charts()), parts))
    const code = `const drawn = await charts.attach({ kinds: ['wav'] })
const shown = await charts.draw({ kinds: ['png'] })
await charts.publish()
return { drawn, shown }`
    const call = { tool: 'run_program', arguments: JSON.stringify({ code }) }
    const waiting = await program.execute(call, deciding('suspend'))
    if (waiting.status !== 'suspended') throw new Error(renderForModel(waiting))
    const suspension: typeof waiting.suspension = JSON.parse(JSON.stringify(waiting.suspension))
    const answers = Object.fromEntries(suspension.nested?.pending.map(({ id }) => [id, 'approve' as const]) ?? [])
    expect(await program.resumeCall(suspension, answers, deciding('suspend'))).toMatchObject({
      json: `{"value":{"drawn":{"title":"Sales"},"shown":{"title":"Sales","charts":["${pngText}"]}}}`,
      content: [pngPart],
      result: { data: { value: { shown: { charts: [png] } } } },
    })
  })
})

it('a streaming tool in a session gives its images to later runs', async () => {
  const film = tool({
    name: 'film',
    description: 'Films.',
    parameters: {},
    updates: true,
    run: async () => withContent({ frame: png }, [{ mediaType: 'image/png', data: png }]),
  })
  const { Runtime } = await import('@toolgen/runtime')
  const planner: Planner = ({ turn, outcomes, messages }) =>
    turn === 1 && messages.length < 3 && outcomes.length === 0
      ? callTools({ tool: 'film', arguments: '{}' })
      : answer('Done.')
  const design = { name: 'studio', description: 'Films.', instructions: 'Film.' }
  const studio = new Runtime().registerAgent(design, [toolset('films', film)], { planner })
  const sessions = new SessionRegistry({ agents: { studio }, store: memoryStore() })
  const open = () => sessions.open('s-1', { userId: 'u-1', namespaces: ['studio'] })
  const session = await open()
  onTestFinished(() => sessions.close('s-1'))
  const first = await session.run(studio, 'Film.')
  await until(() => !session.hasPending())
  await sessions.close('s-1')
  const second = await (await open()).run(studio, [...first.messages, { role: 'user', content: 'What do you see?' }])
  const [last] = second.messages.filter(({ content }) => Array.isArray(content))
  expect(last).toMatchObject({
    role: 'user',
    content: [
      { type: 'text', text: expect.stringContaining(`has ended. Its result:\n{"frame":"${pngText}"}`) },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
    ],
  })
  expect(JSON.stringify(second.messages).split(png)).toHaveLength(2)
})
