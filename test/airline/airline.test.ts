import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BoundAgent, Runtime, type ToolOutcome } from '@toolgen/runtime'
import { beforeAll, describe, expect, it } from 'vitest'
import { dataFolder, hasData } from '../data.js'
import { registerAirline } from './gen/agents/airline/index.js'
import { airlineToolset } from './gen/toolsets/airline/index.js'
import { AirlineService } from './src/airline-service.js'
import { type AirlineDatabase, freshDatabase, loadAirlineDatabase } from './src/database.js'
import { type RecordedCall, recordedTasks } from './src/recordings.js'

const folder = dataFolder() ?? ''

describe.skipIf(!hasData)('the generated airline tools (needs ../shared/data or TOOLGEN_DATA)', () => {
  let database: AirlineDatabase
  beforeAll(() => {
    database = loadAirlineDatabase(join(folder, 'tau/airline_db'))
  })

  it('advertise the 14 tools with the names, descriptions and parameters of the original', () => {
    const original: readonly OriginalTool[] = JSON.parse(readFileSync(join(folder, 'tau/airline_tools.json'), 'utf8'))
    const ours = airlineToolset.tools.map(({ spec }) => ({
      name: spec.name,
      description: spec.description,
      parameters: withoutEmptyRequired(spec.arguments),
    }))
    expect(ours).toEqual(
      original.map(({ function: { parameters, ...tool } }) => ({
        ...tool,
        parameters: withoutEmptyRequired(parameters),
      })),
    )
    expect(ours).toHaveLength(14)
  })

  it('answer all 158 recorded actions through generated builders as the original did, to the key order', async () => {
    const counts = { structured: 0, numerals: 0, text: 0 }
    for (const { id, calls } of recordedTasks(folder)) {
      const agent = onFreshDatabase()
      for (const recorded of calls) {
        const outcome = await execute(agent, recorded)
        if (outcome.status !== 'completed') throw new Error(`${id} ${recorded.name}: ${JSON.stringify(outcome)}`)
        if (typeof outcome.result.data === 'string') {
          // The calculator answers numerals as text; they happen to be JSON as well.
          counts[isNumeral(recorded.result) ? 'numerals' : 'text'] += 1
          expect(outcome.result.data).toBe(recorded.result)
          expect(outcome.json).toBe(JSON.stringify(recorded.result))
        } else {
          counts.structured += 1
          expect(outcome.result.data).toEqual(JSON.parse(recorded.result))
          // Compact JSON of the parsed recording: equal only when the key order is.
          expect(outcome.json).toBe(JSON.stringify(JSON.parse(recorded.result)))
        }
      }
    }
    expect(counts).toEqual({ structured: 146, numerals: 5, text: 7 })
  })

  const onFreshDatabase = (): BoundAgent =>
    registerAirline(new Runtime(), { toolsets: { airline: { client: new AirlineService(freshDatabase(database)) } } })
})

interface OriginalTool {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

const isNumeral = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text)

/** The builder of a recorded call is chosen by name, so its arguments are checked by the builder alone. */
function execute(agent: BoundAgent, { name, arguments: args }: RecordedCall): Promise<ToolOutcome> {
  const tool = airlineToolset.tools.find(({ spec }) => spec.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return agent.execute(tool.call(args as never), {
    sessionId: 's',
    runId: 'r',
    turnId: 't',
    parentToolCallId: 'p',
    labels: {},
  })
}

/** `required: []` says nothing, and a canonical schema leaves it out. */
function withoutEmptyRequired(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'required' && Array.isArray(value) && value.length === 0 ? undefined : value,
  )
}
