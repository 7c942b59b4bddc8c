import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { settled } from './sessions.fixture.js'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const quick = tool({
  name: 'quick',
  description: 'Quick.',
  parameters: {},
  updates: true,
  run: async (_args, { emit }) => {
    await emit('half')
    return 'done'
  },
})
const sessions = new SessionRegistry({ agents: { quick: new Runtime().registerToolset(toolset('quick', quick)) } })

/** Opens, uses and closes a session; its subscribers have gone without a word. */
async function usedAndClosed(id: string): Promise<readonly WeakRef<object>[]> {
  const session = await sessions.open(id, { userId: 'u-1', namespaces: ['quick'] })
  void session[Symbol.asyncIterator]().next()
  const reader = session[Symbol.asyncIterator]()
  await session.execute({ tool: 'quick', arguments: '{}' })
  const { value: entry } = await reader.next()
  await settled()
  expect(await session.consume()).toHaveLength(2)
  await sessions.close(id)
  return [new WeakRef(session), new WeakRef(entry)]
}

describe('the memory of a registry', () => {
  it('holds nothing of sessions that were closed', async () => {
    const references: WeakRef<object>[] = []
    for (let index = 0; index < 20; index += 1) references.push(...(await usedAndClosed(`s-${index}`)))
    for (let turn = 0; turn < 3; turn += 1) {
      await settled()
      collectGarbage()
    }
    expect(references.map((reference) => reference.deref())).toEqual(Array(40).fill(undefined))
  })
})
