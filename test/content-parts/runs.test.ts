import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HasApproval, Runtime } from '@toolgen/runtime'
import { base, useTools } from '@toolgen/runtime/agents'
import { validateHistory } from '@toolgen/runtime/chat'
import { type OpenAiDriverOptions, openAiDriver } from '@toolgen/runtime/openai'
import { calls, openCassette, says, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asks, call, modelServer, says as replies } from '../openai/model-server.fixture.js'
import { charts, deciding, png, pngText, wavPart } from './charts.fixture.js'

const imageUrl = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
const lead = { type: 'text', text: 'Files of tool results. This message is not from the user.' }
const approved = deciding('approve')
const design = { name: 'analyst', description: 'Draws.' }
const agentWith = (driver: Parameters<typeof base>[0]) =>
  new Runtime().registerAgent<[], HasApproval>(design, [], { agent: base(driver).with(useTools(charts())).build() })

/** Runs an agent on a server of chat completions, and returns the messages after its first answer. */
async function sent(kinds: readonly string[], media?: OpenAiDriverOptions['media'], tool = 'draw') {
  const server = await modelServer(asks(call('c-1', tool, { kinds })), replies('Done.'))
  const driver = openAiDriver({ client: server.client(), model: 'm', ...(media && { media }) })
  const run = await agentWith(driver).run('Draw.', approved)
  expect(run.result?.text).toBe('Done.')
  expect(validateHistory(run.messages)).toEqual([])
  return server.bodies[1]?.messages.slice(2)
}

describe('chat completions', () => {
  it('receive images in a user message after the tool messages', async () => {
    expect(await sent(['png'])).toEqual([
      { role: 'tool', tool_call_id: 'c-1', content: `{"title":"Sales","charts":["${pngText}"]}` },
      { role: 'user', content: [lead, { type: 'text', text: 'Call c-1 (draw):' }, imageUrl] },
    ])
  })

  it('receive a text in place of kinds and sizes that the model does not accept', async () => {
    const [tool, user] = (await sent(['wav', 'svg', 'large', 'png'])) ?? []
    expect(tool?.content).toContain('The image 2 is not shown: the model does not accept image/svg+xml.')
    expect(user?.content).toEqual([
      lead,
      { type: 'text', text: 'Call c-1 (draw):' },
      { type: 'text', text: 'This audio is not shown: the model does not accept audio/wav.' },
      { type: 'text', text: 'This image is not shown: it is larger than 3.75 MB.' },
      imageUrl,
    ])
  })

  it('receive what the option `media` allows', async () => {
    const media = { types: ['audio/wav'], maxBytes: 100 }
    expect((await sent(['png', 'wav'], media))?.[1]?.content).toEqual([
      lead,
      { type: 'text', text: 'Call c-1 (draw):' },
      { type: 'text', text: 'This image is not shown: the model does not accept image/png.' },
      { type: 'input_audio', input_audio: { data: wavPart.data, format: 'wav' } },
    ])
  })

  it('receive images of users unchanged', async () => {
    const server = await modelServer(replies('A cat.'))
    const agent = agentWith(openAiDriver({ client: server.client(), model: 'm', media: { types: [] } }))
    const content = [{ type: 'image_url' as const, image_url: { url: `data:image/bmp;base64,${png}` } }]
    await agent.run([{ role: 'user', content }], approved)
    expect(server.bodies[0]?.messages.at(-1)).toEqual({ role: 'user', content })
  })

  it('read only text if there is nothing to show', async () => {
    expect(await sent(['svg'], undefined, 'attach')).toEqual([
      {
        role: 'tool',
        tool_call_id: 'c-1',
        content: '{"title":"Sales"}\nThe image 1 is not shown: the model does not accept image/svg+xml.',
      },
    ])
  })
})

const twoCalls = calls(
  { tool: 'draw', arguments: { kinds: ['png'] }, toolCallId: 'one' },
  { tool: 'publish', arguments: {}, toolCallId: 'two' },
)
const imagesIn = (value: unknown): number => JSON.stringify(value).split('"image_url":{').length - 1

describe('a run', () => {
  it('gives planners the whole values, and each image once', async () => {
    const agent = agentWith(scriptedModel([twoCalls, says('Done.')]))
    const run = await agent.run('Draw.', approved)
    expect(run.outcomes).toMatchObject([
      { result: { data: { charts: [png] } } },
      { result: { data: { published: png } } },
    ])
    expect(run.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant'])
    expect(imagesIn(run.messages)).toBe(2)
  })

  it('keeps its images when it is suspended as JSON and resumed', async () => {
    const agent = agentWith(scriptedModel([twoCalls, says('Done.')]))
    const run = await agent.run('Draw.', deciding('suspend'))
    expect(run.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    const suspension = JSON.parse(JSON.stringify(run.suspension))
    const resumed = await agent.resume(suspension, { two: 'approve' }, deciding('suspend'))
    expect(resumed.result?.text).toBe('Done.')
    expect(resumed.outcomes).toMatchObject([
      { result: { data: { charts: [png] } }, content: [{ data: png }] },
      { result: { data: { published: png } }, content: [{ data: png }] },
    ])
    expect(resumed.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant'])
    expect(imagesIn(resumed.messages)).toBe(2)
    expect(validateHistory(resumed.messages)).toEqual([])
  })

  it('passes its images on to a later run that continues the conversation', async () => {
    const driver = scriptedModel([
      twoCalls,
      says('Done.'),
      ({ messages }) => says(`I see ${imagesIn(messages)} images.`),
    ])
    const agent = agentWith(driver)
    const first = await agent.run('Draw.', approved)
    const second = await agent.run([...first.messages, { role: 'user', content: 'What do you see?' }], approved)
    expect(second.result?.text).toBe('I see 2 images.')
  })

  it('can be recorded and replayed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgen-content-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'charts.jsonl')
    const played = async (mode: 'record' | 'replay') => {
      const cassette = await openCassette(path, { mode })
      const driver = cassette.driver(scriptedModel([twoCalls, ({ messages }) => says(`I see ${imagesIn(messages)}.`)]))
      const agent = base(driver)
        .with(useTools(charts().layer(cassette.toolLayer())))
        .build()
      const run = await new Runtime().registerAgent<[], HasApproval>(design, [], { agent }).run('Draw.', approved)
      await cassette.close()
      return run
    }
    const recorded = await played('record')
    const replayed = await played('replay')
    expect(recorded.result?.text).toBe('I see 2.')
    expect(replayed.result).toEqual(recorded.result)
    expect(replayed.messages).toEqual(recorded.messages)
    expect(replayed.outcomes).toMatchObject([
      { content: [{ data: png }], result: { data: { charts: [png] } } },
      { content: [{ data: png }], result: { data: { published: png } } },
    ])
  })
})
