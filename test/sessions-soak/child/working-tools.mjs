import { setTimeout as pause } from 'node:timers/promises'
import { Runtime, ToolFailure, tool, toolset } from '@toolgen/runtime'

const parameters = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    updates: { type: 'integer' },
    pauseMs: { type: 'integer' },
    pad: { type: 'integer' },
    end: { enum: ['result', 'failure', 'never'] },
  },
  required: ['key', 'updates', 'pauseMs', 'pad', 'end'],
}

const sink = tool({
  name: 'sink',
  description: 'Emits its updates.',
  parameters,
  updates: true,
  run: async (args, { meta, emit }) => {
    for await (const update of updatesOf(args, meta)) await emit(update)
    return resultOf(args, meta)
  },
})

const stream = tool({
  name: 'stream',
  description: 'Yields its updates.',
  parameters,
  updates: true,
  run: async function* (args, { meta }) {
    yield* updatesOf(args, meta)
    return resultOf(args, meta)
  },
})

/** Tools whose updates and results say whose they are. All sessions share them. */
export function workingTools() {
  const runtime = new Runtime()
  return {
    sinks: runtime.registerToolset(toolset('sinks', sink)),
    streams: runtime.registerToolset(toolset('streams', stream)),
  }
}

async function* updatesOf({ key, updates, pauseMs }, { sessionId }) {
  for (let index = 1; index <= updates; index += 1) {
    yield { session: sessionId, key, index }
    if (pauseMs > 0) await pause(pauseMs)
  }
}

async function resultOf({ key, updates, pad, end }, { sessionId, signal }) {
  if (end === 'failure') throw new ToolFailure(`${sessionId} ${key} ${updates}`)
  if (end === 'never') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  return { session: sessionId, key, updates, pad: 'x'.repeat(pad) }
}
