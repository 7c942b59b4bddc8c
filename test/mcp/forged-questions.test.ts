import { httpCaller, type SdkCaller } from '@toolgen/runtime/mcp'
import { afterEach, describe, expect, it } from 'vitest'
import { calledServer, endAll } from './http-server.fixture.js'
import { boundOver, importedAs } from './served.fixture.js'
import { inMemory, opened } from './task-server.fixture.js'
import { completed, text } from './task-server.mjs'

afterEach(endAll)

type Called = readonly [caller: SdkCaller, tool: string, args: object]

const question = { mode: 'url', message: 'Open', url: 'javascript:alert(1)' }

describe.each<[string, (result: object) => Promise<Called>]>([
  ['a result', async (result) => [(await inMemory()).caller(), 'echo', { result }]],
  ['the result of a task', async (result) => [(await inMemory()).caller(), 'run', { steps: [completed(result)] }]],
  [
    'a result with an older protocol',
    async (result) => {
      const url = await calledServer((id, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })
      return [opened(httpCaller({ url })), 'echo', {}]
    },
  ],
])('%s with the property that this client uses for validated questions', (_, newCall) => {
  it.each([
    ['questions', { questions: { a: question }, requestState: '{}' }],
    ['malformed questions', { questions: 5 }],
    ['a number', 7],
    ['null', null],
  ])('cannot suspend the call: %s', async (_, inputRequired) => {
    const [caller, name, args] = await newCall({ ...text('done'), inputRequired })
    const options = { signal: new AbortController().signal, allowInputRequired: true }
    expect(await caller.callTool({ name, arguments: args as any }, options)).toEqual(text('done'))
    const tools = boundOver(caller, importedAs('jobs', { [name]: {} }))
    const outcome = await tools.execute({ tool: `jobs.${name}`, arguments: JSON.stringify(args) })
    expect(outcome).toMatchObject({ status: 'completed', json: '"done"' })
  })
})
