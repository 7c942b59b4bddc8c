import { join } from 'node:path'
import { type BoundAgent, Runtime, renderForModel } from '@toolgen/runtime'
import { beforeAll, describe, expect, it } from 'vitest'
import { registerAirline } from '../airline/gen/agents/airline/index.js'
import { AirlineService } from '../airline/src/airline-service.js'
import { type AirlineDatabase, freshDatabase, loadAirlineDatabase } from '../airline/src/database.js'
import { recordedTasks } from '../airline/src/recordings.js'
import { dataFolder, hasData } from '../data.js'
import { aiSdk } from './ai-sdk.framework.js'
import type { WrittenCall } from './framework.js'
import { langChain } from './langchain.framework.js'
import { openAiAgents } from './openai-agents.framework.js'
import { call } from './shop.fixture.js'

const folder = dataFolder() ?? ''

describe.skipIf(!hasData)('the generated airline tools (needs ../shared/data or TOOLGEN_DATA)', () => {
  let database: AirlineDatabase
  // A database for each task is what takes the time: one task of four.
  let tasks: readonly { readonly turns: readonly (readonly WrittenCall[])[]; readonly told: readonly string[] }[]
  beforeAll(async () => {
    database = loadAirlineDatabase(join(folder, 'tau/airline_db'))
    tasks = await Promise.all(
      recordedTasks(folder)
        .filter((_, index) => index % 4 === 0)
        .map(async ({ calls }) => {
          const turns = calls.map(({ name, arguments: args }) => [call(`airline_${name}`, JSON.stringify(args))])
          const direct = onFreshDatabase()
          const told: string[] = []
          for (const asked of turns.flat()) told.push(renderForModel(await direct.execute(asked)))
          return { turns, told }
        }),
    )
    expect(tasks.flatMap(({ told }) => told).length).toBeGreaterThan(30)
  })

  it.each([aiSdk, openAiAgents, langChain])(
    'tell a model the same in recorded tasks, called directly and in $name',
    async ({ play }) => {
      for (const { turns, told } of tasks) {
        const played = await play(onFreshDatabase(), turns)
        expect(played.told.map(([only]) => only?.text)).toEqual(told)
      }
    },
  )

  const onFreshDatabase = (): BoundAgent =>
    registerAirline(new Runtime(), { toolsets: { airline: { client: new AirlineService(freshDatabase(database)) } } })
})
