import { once } from 'node:events'
import { createServer } from 'node:http2'
import { setTimeout } from 'node:timers/promises'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateAgents, restateClient } from '@toolgen/runtime/restate'
import { scriptedAgents } from '../../../test/durable/scripted-agents.mjs'

export const name = 'toolgen'

/** Serves the agent in this process. See `contestant-process.mjs`. */
export async function open({ restate, port, effect }) {
  const agents = scriptedAgents({ effect })
  const options = { maxRetryDelayMs: 200, maxAttempts: 10_000 }
  const server = createServer(createEndpointHandler({ ...restateAgents(agents, options), logger: () => undefined }))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const runs = restateClient({ ...restate, timeoutMs: 60_000 })
  const { support } = agents.agents
  const finish = async (runId) => (await runs.result(runId)).result?.text
  return {
    port: server.address().port,
    async start(runId, script) {
      await runs.start('support', script, { runId })
      return runId
    },
    finish,
    async approve(runId, script) {
      await runs.start('support', script, { runId })
      for (;;) {
        const { status, suspension } = await runs.status(runId)
        if (status === 'suspended') {
          const answers = Object.fromEntries(suspension.pending.map(({ id }) => [id, 'approve']))
          return async () => {
            await runs.answer(runId, suspension.id, answers)
            return finish(runId)
          }
        }
        await setTimeout(10)
      }
    },
    plain: async (script) => (await support.run(script, { env: {} })).result?.text,
  }
}
