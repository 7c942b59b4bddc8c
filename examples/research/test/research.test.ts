import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentToolSpec, runConfig } from '@toolgen/runtime'
import type { AgentRun } from '@toolgen/runtime/agents'
import { validateHistory } from '@toolgen/runtime/chat'
import { calls, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { advertisedSpecs as researchSpecs } from '../gen/agents/research/index.js'
import { advertisedSpecs as supportSpecs } from '../gen/agents/support/index.js'
import { openAgents } from '../src/agents.js'
import { ArchiveClient } from '../src/archive-client.js'
import { clerk } from '../src/clerk.js'
import { converse } from '../src/conversation.js'
import { type DemoSetting, demo, record } from '../src/demo.js'
import { OrdersClient } from '../src/orders-client.js'
import { QUESTION, SCRIPT } from '../src/script.js'
import { scriptedServer } from './scripted-server.fixture.js'

const file = join(import.meta.dirname, '../cassettes/flicker.jsonl')
const transcript = readFileSync(join(import.meta.dirname, 'transcript.txt'), 'utf8')

/** Returns the output of a program after the first line, which names the source of the responses. */
async function printed(
  program: (setting: DemoSetting) => Promise<AgentRun>,
  setting: Omit<DemoSetting, 'print'>,
): Promise<{ readonly run: AgentRun; readonly text: string }> {
  const lines: string[] = []
  const run = await program({ ...setting, print: (line) => lines.push(line) })
  return { run, text: `${lines.slice(1).join('\n')}\n` }
}

/** Returns the path of a new file in the temporary folder of the tests. */
function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-research-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'new.jsonl')
}

describe('the research example', () => {
  it('replays its recording where no model is named: who called what, where it waited, the answer, the cost', async () => {
    const { run, text } = await printed(demo, { env: { OPENAI_API_KEY: '' }, file })
    expect(text).toBe(transcript)
    expect(run).toMatchObject({ status: 'completed', usage: { turns: 4, toolCalls: 3 } })
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('has a recording of the tools as the design says them now', () => {
    const offered = (specs: readonly AgentToolSpec[]) =>
      Object.fromEntries(specs.map(({ toolName, id: tool, hash }) => [toolName, { tool, hash }]))
    const tools = { support: offered(supportSpecs()), research: offered(researchSpecs()) }
    const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
    const exchanges = lines.map((line) => JSON.parse(line))
    const asked = exchanges.filter(({ type }) => type === 'model')
    expect(asked.map(({ agent, request }) => [agent, request.tools])).toEqual(
      asked.map(({ agent }: { agent: keyof typeof tools }) => [agent, tools[agent]]),
    )
    expect(new Set(asked.map(({ agent }) => agent))).toEqual(new Set(['support', 'research']))
    const known = [...supportSpecs(), ...researchSpecs()].map(({ id, hash }) => `${id} ${hash}`)
    const called = exchanges.flatMap(({ type, tool, hash }) => (type === 'tool' ? [`${tool} ${hash}`] : []))
    expect(called.filter((each) => !known.includes(each))).toEqual([])
    expect(called.length).toBeGreaterThan(0)
  })

  it('is recorded again by its script, and replayed from the new file', async () => {
    const file = newFile()
    expect((await printed(record, { env: {}, file })).text).toBe(transcript)
    expect((await printed(demo, { env: {}, file })).text).toBe(transcript)
  })

  it('asks the server that is named instead, with the model that is named', async () => {
    const server = await scriptedServer(scriptedModel(SCRIPT))
    const { run, text } = await printed(demo, {
      env: { OPENAI_BASE_URL: server.baseURL, OPENAI_MODEL: 'tiny-1' },
      file: 'no such file',
    })
    expect(text).toBe(transcript)
    expect(run.status).toBe('completed')
    expect(server.bodies).toHaveLength(SCRIPT.length)
    for (const body of server.bodies) {
      expect(body).toMatchObject({ path: '/v1/chat/completions', model: 'tiny-1' })
      expect(validateHistory(body.messages)).toEqual([])
    }
    // Only the research agent has a structured answer.
    expect(server.bodies.map((body) => 'response_format' in body)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('records a server that is named, for replays without it', async () => {
    const [file, server] = [newFile(), await scriptedServer(scriptedModel(SCRIPT))]
    const env = { OPENAI_API_KEY: 'sk-very-secret', OPENAI_BASE_URL: server.baseURL }
    expect((await printed(record, { env, file })).text).toBe(transcript)
    expect(readFileSync(file, 'utf8')).not.toContain('sk-very-secret')
    expect((await printed(demo, { env: {}, file })).text).toBe(transcript)
  })

  it('never asks a maker whom nobody pays; the agents go on without', async () => {
    const [archive, orders] = [new ArchiveClient(), new OrdersClient()]
    const asksOften = calls({ tool: 'archive_askMaker', arguments: { sku: 'LAMP-1', question: 'Why?' } })
    const [look, investigate, , , , finding, , last] = SCRIPT
    const script = [look, investigate, asksOften, asksOften, finding, last].flatMap((step) => step ?? [])
    const support = openAgents(scriptedModel(script), { archive, orders })
    const lines: string[] = []
    const print = (line: string): unknown => lines.push(line)
    const run = await converse(QUESTION, { support, decide: clerk(1), print, config: runConfig() })
    expect(run.status).toBe('completed')
    expect([archive.paidAnswers, orders.sent]).toEqual([1, []])
    expect(lines.filter((line) => line.startsWith('The clerk says'))).toEqual([
      'The clerk says: approve\n',
      expect.stringContaining('no money left'),
    ])
    expect(lines.join('\n')).toContain('archive.askMaker fails: There is no money left')
  })
})
