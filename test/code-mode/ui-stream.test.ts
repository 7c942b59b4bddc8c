import { approval, Runtime, tool, toolset } from '@toolgen/runtime'
import { base, useTools } from '@toolgen/runtime/agents'
import { toUIMessageStream } from '@toolgen/runtime/ai-sdk'
import { quickJsSandbox, useCodeMode } from '@toolgen/runtime/code-mode'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { readUIMessageStream, type UIMessage } from 'ai'
import { afterAll, expect, it } from 'vitest'

const sandbox = quickJsSandbox()
afterAll(() => sandbox.close())

const look = toolset('local', tool({ name: 'look', description: 'Looks.', parameters: {}, run: () => ({ found: 3 }) }))
const env = { approval: { approve: async () => 'suspend' as const } }

/** An agent whose model writes a program with one call. */
function helper(asks: boolean) {
  const program = calls({ tool: 'run_program', arguments: { code: 'return await local.look({})' }, toolCallId: 'p' })
  const model = scriptedModel([program, says('Three.')])
  const agent = base(model).with(useTools(look)).with(useCodeMode({ sandbox })).build()
  return new Runtime()
    .registerAgent({ name: 'helper', description: 'Helps.' }, [], { agent })
    .layer(approval({ when: ({ tool }) => asks && tool.name === 'look' }))
}

async function lastMessage(stream: ReturnType<typeof toUIMessageStream>): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined
  const onError = (error: unknown): never => {
    throw error
  }
  for await (const message of readUIMessageStream({ stream, onError, terminateOnError: true })) last = message
  return last
}

it('the calls of a program are no parts of a message; the program is one', async () => {
  const message = await lastMessage(toUIMessageStream(helper(false).run('How many?', { env })))
  expect(message?.parts.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
    { type: 'tool-run_program', toolCallId: 'p', state: 'output-available', output: { value: { found: 3 } } },
  ])
})

it('the approval that a program waits for is a pending part', async () => {
  const agent = helper(true)
  const run = agent.run('How many?', { env })
  const message = await lastMessage(toUIMessageStream(run))
  expect(message?.parts.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
    { type: 'tool-run_program', output: { status: 'suspended' }, preliminary: true },
  ])
  const pending = message?.parts.filter(({ type }) => type === 'data-pending')
  expect(pending).toMatchObject([{ data: { kind: 'approval', tool: 'local.look' } }])
  const { suspension } = await run
  const [{ id } = { id: '' }] = suspension?.pending ?? []
  expect(pending).toMatchObject([{ id }])
  if (suspension === undefined) throw new Error('the run is not suspended')
  const chunks: unknown[] = []
  const resumed = toUIMessageStream(agent.resume(suspension, { [id]: 'approve' }, { env }))
  for await (const chunk of resumed as unknown as AsyncIterable<unknown>) chunks.push(chunk)
  expect(chunks).toContainEqual(
    expect.objectContaining({ type: 'tool-output-available', toolCallId: 'p', output: { value: { found: 3 } } }),
  )
})
